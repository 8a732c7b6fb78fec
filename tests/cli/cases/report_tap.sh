"$quantproof" certify --target "lib:$broken,symbol=stale_62" --seconds 0 --claim IQ3XXS-ROWS-1 --claim IQ3XXS-SIGNS-1 --json c.json >/dev/null
"$quantproof" report c.json --tap -
