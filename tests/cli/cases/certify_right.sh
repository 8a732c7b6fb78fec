"$quantproof" certify --target "lib:$broken,preset=ggml,symbol=right_ggml" --seconds 0
