"$quantproof" diff --format e8_iq3 --target fast --random 300 --seed 5
