"$quantproof" explain --help
