"$quantproof" prove --claim NOSUCH-1
