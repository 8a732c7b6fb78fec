"$quantproof" certify --format iq4_nl
