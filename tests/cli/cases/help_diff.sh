"$quantproof" diff --help
