"$quantproof" certify --target "lib:$broken,symbol=right_ggml" --seconds 0 --claim IQ3XXS-ROWS-1 --json base.json >/dev/null
"$quantproof" gate --baseline base.json --seconds 0
