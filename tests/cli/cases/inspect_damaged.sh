printf 'GGUF\x03\x00\x00\x00\x00\x00\x00\x00' >model.gguf
"$quantproof" inspect model.gguf
"$quantproof" inspect missing.knot --json -
