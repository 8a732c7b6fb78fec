"$quantproof" certify --target lib:missing.so
