"$quantproof" fuzz --format iq3_xxs --target "lib:$broken,symbol=untouched" --cases 10
