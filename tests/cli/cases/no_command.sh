"$quantproof"
