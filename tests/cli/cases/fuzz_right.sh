"$quantproof" fuzz --format iq3_xxs --target "lib:$broken,symbol=right_ggml" --cases 200
