"$quantproof" explain --format e8_iq3 00 --weight 256
