"$quantproof" certify --help
