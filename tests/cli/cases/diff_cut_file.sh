head -c 200 /dev/zero >blocks.bin
"$quantproof" diff --format iq3_xxs --target fast blocks.bin
status=$?
"$quantproof" diff --format iq3_xxs --target fast --blocks 2 blocks.bin
exit $status
