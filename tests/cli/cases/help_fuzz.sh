"$quantproof" fuzz --help
