"$quantproof" explain --format leech "0 0 0 0 0 1073741825 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
"$quantproof" explain --format leech "nan 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
"$quantproof" explain --format leech "0 0 0 0x10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"
"$quantproof" explain --format leech "1 2 3"
