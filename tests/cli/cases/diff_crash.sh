{ printf '\0\74'; head -c 96 /dev/zero; } >block.bin
"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=crashes" block.bin
