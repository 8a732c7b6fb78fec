"$quantproof" explain --format e8_iq3 12345
