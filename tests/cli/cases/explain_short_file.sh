head -c 100 /dev/zero >block.bin
"$quantproof" explain --format e8_iq3 block.bin:3
