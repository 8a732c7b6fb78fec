"$quantproof" fuzz --format iq3_xxs --target "lib:$broken,symbol=value_of_row_127" --seed 7 --cases 100
