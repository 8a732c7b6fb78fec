"$quantproof" certify --target "lib:$broken,preset=ggml,symbol=untouched" --claim IQ3XXS-CODES-1
