"$quantproof" vectors check
