"$quantproof" fuzz --format e8_iq3 --target "lib:$broken,preset=colibri,symbol=colibri_subnormals" \
  --profile strict --count 256 --input "$(printf '00%.0s' {1..96})0002" --json -
