"$quantproof" certify --target "lib:$broken,preset=ggml,symbol=right_ggml" --claim IQ3XXS-CODES-1 --json -
