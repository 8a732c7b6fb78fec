# A GGUF file of one key and one tensor of 256 IQ3_XXS weights, zeros; then with an infinite scale;
# then as its head alone.
write() {
  printf 'GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0'
  printf '\x0C\0\0\0\0\0\0\0general.name\x08\0\0\0\x04\0\0\0\0\0\0\0tiny'
  printf '\x01\0\0\0\0\0\0\0t\x01\0\0\0\0\x01\0\0\0\0\0\0\x12\0\0\0\0\0\0\0\0\0\0\0'
  head -c 3 /dev/zero
  printf "$1"
  head -c 96 /dev/zero
}
write '\0\0' >good.gguf
"$quantproof" inspect good.gguf || exit 90
write '\0\x7C' >bad.gguf
"$quantproof" inspect bad.gguf
head -c 96 good.gguf >head.gguf
"$quantproof" inspect head.gguf --json -
