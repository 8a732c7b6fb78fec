"$quantproof" explain --format kaiju1 7a287679008102 --json -
"$quantproof" explain --format kaiju1 7a287679008102 --weight 24
