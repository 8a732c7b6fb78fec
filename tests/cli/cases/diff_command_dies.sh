"$quantproof" diff --format iq3_xxs --target "cmd:python3 $examples/../../tests/faulty_target.py signal" \
  --random 600 | cut -c1-100
exit "${PIPESTATUS[0]}"
