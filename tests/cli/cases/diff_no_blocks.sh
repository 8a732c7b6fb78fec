"$quantproof" diff --format iq3_xxs --target fast
