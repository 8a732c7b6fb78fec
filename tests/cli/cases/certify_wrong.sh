"$quantproof" certify --target "lib:$broken,preset=ggml,symbol=stale_62" --seconds 0 \
  --claim IQ3XXS-ROWS-1
