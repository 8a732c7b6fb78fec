"$quantproof" fuzz --format iq3_xxs --input 00 --json -
