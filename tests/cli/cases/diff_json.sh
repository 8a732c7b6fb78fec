{ printf '\0\74'; head -c 63 /dev/zero; printf '\377'; head -c 32 /dev/zero; } >block.bin
"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=stale_62" --json - block.bin
