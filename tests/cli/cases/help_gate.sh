"$quantproof" gate --help
