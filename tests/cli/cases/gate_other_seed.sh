"$quantproof" certify --claim HALF-WIDEN-1 --format iq3_xxs --json base.json >/dev/null
sed 's/"seed": 1/"seed": 2/' base.json >now.json
"$quantproof" gate --baseline base.json --current now.json
