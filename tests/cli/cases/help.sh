"$quantproof" --help
