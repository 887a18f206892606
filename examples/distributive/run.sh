#!/bin/sh
# Observes calc, trains a model, explains it and targets a function. Files are
# written to a temporary folder, which is removed at the end.
set -e
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cd "$(dirname "$0")"

inroad observe --go ./calc.Optimize --generate 2000 --grammar expr --out "$out/seen.ndjson"
inroad train --grammar expr --observations "$out/seen.ndjson" --out "$out/calc.model"
inroad explain --model "$out/calc.model" distributiveRule

echo "The smallest inputs:"
inroad target --model "$out/calc.model" distributiveRule --n 2
echo "One input for several functions:"
inroad target --model "$out/calc.model" distributiveRule simplifyUnary foldNumbers
echo "One input that is not simplified further:"
inroad target --model "$out/calc.model" distributiveRule --avoid simplifyUnary --avoid foldNumbers

inroad target --model "$out/calc.model" distributiveRule --n 100 --style varied >"$out/targeted.ndjson"
inroad observe --go ./calc.Optimize --inputs "$out/targeted.ndjson" --out "$out/ran.ndjson"
reached=$(grep '^{"input"' "$out/ran.ndjson" | grep -c '#distributiveRule"')
echo "$reached of 100 varied inputs reach distributiveRule"
[ "$reached" -ge 95 ]
