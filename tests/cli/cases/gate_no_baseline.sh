"$quantproof" gate --baseline missing.json --json -
