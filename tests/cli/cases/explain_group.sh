# Weight 12: the second group, a sign of its own.
"$quantproof" explain --format e8_iq3 --weight 12 "$(printf '%0128d0008%060d003c' 0 0)" | tail -5
