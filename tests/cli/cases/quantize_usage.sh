# What a command line must say, and what it must not; a file that is no model.
"$quantproof" quantize
"$quantproof" quantize a.gguf b.gguf
"$quantproof" quantize a.gguf b.gguf --type iq2_m
printf 'no model' >a.gguf
"$quantproof" quantize a.gguf b.gguf --type iq2_m
"$quantproof" quantize a.gguf b.gguf --type iq3_xxs --json -
"$quantproof" quantize a.gguf a.gguf --type iq3_xxs
"$quantproof" quantize --plan p --job 1 --merge
"$quantproof" quantize --job 1
"$quantproof" imatrix
"$quantproof" imatrix --stats a.gguf
