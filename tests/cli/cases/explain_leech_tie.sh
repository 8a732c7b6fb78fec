# A deep hole, in lattice units.
"$quantproof" explain --format leech 4.0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0
