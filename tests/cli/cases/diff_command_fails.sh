{ printf '\0\74'; head -c 96 /dev/zero; } >block.bin
"$quantproof" diff --format iq3_xxs --target "cmd:python3 $examples/iq3_xxs_target.py" \
  --target 'cmd:true' block.bin
