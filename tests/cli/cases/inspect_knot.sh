# The worked example of knot.md 8; then with a NaN in it; then a type that is not known.
header='{"tensors":[{"name":"a","type":"F32","shape":[2],"offset":0,"size":8}],"metadata":{"origin":"by hand"}}'
write() { printf 'KNOT\x01\x00\x00\x00\x67\x00\x00\x00%s%b' "$header" "$1"; head -c 13 /dev/zero; printf '%b' "$2"; }
[ ${#header} -eq 103 ] || exit 99
write '' '\x00\x00\x80\x3F\x00\x00\x00\xC0' >good.knot
"$quantproof" inspect good.knot || exit 90
write '' '\x00\x00\x80\x3F\x00\x00\xC0\x7F' >nan.knot
"$quantproof" inspect nan.knot
header=${header/F32/X32}
write '' '\x00\x00\x80\x3F\x00\x00\xC0\x7F' >other.knot
"$quantproof" inspect other.knot
