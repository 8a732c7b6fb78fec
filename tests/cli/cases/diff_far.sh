# The block that differs is in the second call.
{ head -c $((66 * 98)) /dev/zero; printf '\0\74'; head -c 63 /dev/zero; printf '\377'; head -c 32 /dev/zero; } >blocks.bin
"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=stale_62" blocks.bin | head -4
exit "${PIPESTATUS[0]}"
