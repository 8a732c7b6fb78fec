"$quantproof" certify --nonsense
