"$quantproof" certify --target nowhere --json - >c.json 2>/dev/null
"$quantproof" report c.json --html page.html
