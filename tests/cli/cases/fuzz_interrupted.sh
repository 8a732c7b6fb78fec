# An interrupt ends the run with what was found so far.
timeout --preserve-status -s INT 1 "$quantproof" fuzz --format iq3_xxs --seconds 60 \
  --target "lib:$broken,symbol=right_ggml" | sed -E 's/^[0-9]+ cases/N cases/'
exit "${PIPESTATUS[0]}"
