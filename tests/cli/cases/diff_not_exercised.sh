"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=missing" --random 1
