# The worked example of leech.md 8.
"$quantproof" explain --format leech "700 -1200 300 0 -500 250 0 900 100 -14000 -600 3000 \
  0 17000 450 15500 -350 16000 800 17500 -200 16384 50 14000"
