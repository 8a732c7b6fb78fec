"$quantproof" certify --claim HALF-WIDEN-1 --junit missing/report.xml
