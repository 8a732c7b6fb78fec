echo "not a library" >bad.so
"$quantproof" certify --target lib:bad.so 2>&1 | sed 's/: [^:]*bad.so: .*/: LOADER SAYS WHY/'
exit "${PIPESTATUS[0]}"
