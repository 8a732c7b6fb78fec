"$quantproof" diff --format iq3_xxs --target "lib:$broken,symbol=right_ggml" \
  --target "cmd:python3 $examples/iq3_xxs_target.py" --random 70
