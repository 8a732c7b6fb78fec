# Two decoders that write nothing are not equal.
"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=untouched" \
  --target "lib:$broken,symbol=untouched" --random 1 | head -7
exit "${PIPESTATUS[0]}"
