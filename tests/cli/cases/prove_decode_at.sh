# qp_decode_at is called in its own way, and only a build of this library has it.
"$quantproof" prove --object "$broken" --symbol qp_decode_at --format iq3_xxs
echo "code $?"
"$quantproof" prove --object "$broken" --symbol qp_decode_at --format iq3_xxs --preset qp
