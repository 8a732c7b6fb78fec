"$quantproof" certify --json - --target nowhere
