# The code of the worked example, kaiju1.md 9; then one whose sum-fix names a zero trit.
"$quantproof" explain --format kaiju1 7a287679008102 --weight 9 || exit 90
"$quantproof" explain --format kaiju1 79797979008002
