"$quantproof" --version
