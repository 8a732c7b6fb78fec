# The tensor of kaiju1.md 9, then with an invalid code.
tensor=$(printf '4b4a5531010000001a00000002000000180000000100000003000000' ; printf '030000001400000000' ; printf '20fd00bc00672e0b7a287679008102')
header='{"tensors":[{"name":"w","type":"KAIJU1","shape":[1,26],"offset":0,"size":52}],"metadata":{}}'
write() {
  printf 'KNOT\x01\x00\x00\x00\x5C\x00\x00\x00%s' "$header"
  head -c 24 /dev/zero
  printf '%s' "$1" | sed 's/../\\x&/g' | xargs -0 printf '%b'
}
[ ${#header} -eq 92 ] || exit 99
write "$tensor" >good.knot
"$quantproof" inspect good.knot || exit 90
write "${tensor/7a287679/fa287679}" >bad.knot
"$quantproof" inspect bad.knot
