# The first pair of decoders is right on these blocks; then the second block has a row with level 7.
{ printf '\0\74'; head -c 96 /dev/zero; printf '\0\74'; head -c 63 /dev/zero; printf '\7'; head -c 32 /dev/zero; } >blocks.bin
"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=row_255_missing" \
  --target "lib:$broken,symbol=eight_bit_sign_fields" blocks.bin
{ printf '\0\74'; head -c 96 /dev/zero; printf '\0\74'; head -c 63 /dev/zero; printf '\377'; head -c 32 /dev/zero; } >blocks.bin
"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=stale_62" blocks.bin
