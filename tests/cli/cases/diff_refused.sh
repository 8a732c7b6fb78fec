{ printf '\0\174'; head -c 96 /dev/zero; } >block.bin
"$quantproof" diff --format iq3_xxs --target "lib:$broken,preset=qp,symbol=ignores_the_scale_class" block.bin | head -6
exit "${PIPESTATUS[0]}"
