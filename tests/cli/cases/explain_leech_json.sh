# 24 little-endian int32: 4.0 and 23 zeros, then one unit more.
printf '\x01\x80\x00\x00%.0s' 1 >point.bin
head -c 92 /dev/zero >>point.bin
"$quantproof" explain --format leech point.bin --json -
