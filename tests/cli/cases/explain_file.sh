# A subnormal scale at offset 3 of a file: the profiles differ.
{ printf 'abc'; head -c 96 /dev/zero; printf '\x00\x02'; } >block.bin
"$quantproof" explain --format e8_iq3 block.bin:3
