"$quantproof" certify --target "lib:$broken,symbol=stale_62" --seconds 0 --claim IQ3XXS-ROWS-1 --json now.json >/dev/null
sed -e 's/"verdict": "fail"/"verdict": "pass"/' -e 's/"pass": 0/"pass": 1/' -e 's/"fail": 1/"fail": 0/' now.json >base.json
"$quantproof" gate --baseline base.json --current now.json
