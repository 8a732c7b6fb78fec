"$quantproof" vectors list | head -n 3
