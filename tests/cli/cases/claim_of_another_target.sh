"$quantproof" certify --target "lib:$broken,preset=ggml,symbol=right_ggml" --claim IQ3-SIGN-1
