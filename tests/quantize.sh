#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: quantize.sh QUANTPROOF DATA WORK
#
# Quantizes a real small model the way people do: with threads, interrupted, killed, on a full disk,
# on several machines. Everything must end in the same bytes.
set -euo pipefail
quantproof=$1
data=$2
work=$3
# shellcheck source=tests/command.sh
source "$(dirname "$0")/command.sh"

model=$data/model-f16.gguf
# Two of six layers are enough here.
some=(--tensor-type 'blk\.[2-5]\.=keep' --imatrix "$data/imatrix.gguf")

# The plan first: nothing is done.
expect 0 "$quantproof" quantize "$model" plain.gguf --type iq3_xxs "${some[@]}" --dry-run
says out 'token_embd.weight'
says out 'embedding or output'
absent plain.gguf

# One thread or three: the same bytes; a report that is JSON and says the same.
expect 0 "$quantproof" quantize "$model" plain.gguf --type iq3_xxs "${some[@]}" --threads 1 --json one.json
expect 0 "$quantproof" quantize "$model" three.gguf --type iq3_xxs "${some[@]}" --threads 3 --json -
cmp plain.gguf three.gguf
python3 -c 'import json, sys
one, three = json.load(open("one.json")), json.load(open("out"))
three["output"] = one["output"]
sys.exit(one != three or one["summary"]["tensors"] != 57)' || fail 'the reports differ'
expect 0 "$quantproof" inspect plain.gguf
says out 'tensors checked: 57; faulty: 0'
# The legacy form of the importances: means differ in their last bits only.
expect 0 "$quantproof" quantize "$model" dat.gguf --type iq3_xxs --tensor-type 'blk\.[2-5]\.=keep' \
  --imatrix "$data/imatrix.dat" --threads 2
expect 0 "$quantproof" inspect dat.gguf
says out 'tensors checked: 57; faulty: 0'

# Never overwritten without --force, nor when the run fails.
expect 2 "$quantproof" quantize "$model" plain.gguf --type iq3_xxs "${some[@]}"
says err '--force'
cp "$model" poisoned.gguf
# Row 5, column 48 of blk.0.attn_q.weight, a matrix of 256 columns.
"$quantproof" inspect "$model" --json shapes.json >inspected
offset=$(python3 -c 'import json
print([t["offset"] for t in json.load(open("shapes.json"))["tensors"] if t["name"] == "blk.0.attn_q.weight"][0])')
printf '\x00\x7e' | dd of=poisoned.gguf bs=1 seek=$((offset + 2 * (5 * 256 + 48))) conv=notrunc status=none
expect 3 "$quantproof" quantize poisoned.gguf plain.gguf --type iq3_xxs "${some[@]}" --force
says err '"blk.0.attn_q.weight": row 5, column 48: the weight is infinite or NaN'
cmp plain.gguf three.gguf
absent plain.gguf.partial
expect 3 "$quantproof" quantize missing.gguf new.gguf --type iq3_xxs
head -c 5000000 "$model" >cut.gguf
expect 3 "$quantproof" quantize cut.gguf new.gguf --type iq3_xxs
says err 'but the file has 5000000'
absent new.gguf

# Without importances it warns.
expect 0 "$quantproof" quantize "$model" none.gguf --type iq3_xxs --tensor-type 'blk\.[1-5]\.=keep' \
  --effort fast
says err 'iq3_xxs without --imatrix'

# A full disk: the old output stays, and the run goes on from there.
fast=("${some[@]}" --effort fast)
expect 0 "$quantproof" quantize "$model" fast.gguf --type iq3_xxs "${fast[@]}"
cp plain.gguf full.gguf
expect 3 bash -c 'ulimit -f 3000; exec "$@"' - "$quantproof" quantize "$model" full.gguf \
  --type iq3_xxs "${fast[@]}" --force
says err 'cannot write full.gguf.partial: File too large'
says err 'kept for --resume'
cmp full.gguf plain.gguf
[[ -e full.gguf.partial && -e full.gguf.partial.journal ]] || fail 'nothing to resume'
expect 2 "$quantproof" quantize "$model" full.gguf --type iq3_xxs "${some[@]}" --force --resume
says err 'other inputs or options'
expect 0 "$quantproof" quantize "$model" full.gguf --type iq3_xxs "${fast[@]}" --force --resume
cmp full.gguf fast.gguf
absent full.gguf.partial.journal

# Interrupted, killed, resumed.
slow=(--type iq3_xxs --tensor-type 'blk\.[1-5]\.=keep' --imatrix "$data/imatrix.gguf" --effort best
  --threads 1)
expect 0 "$quantproof" quantize "$model" slow.gguf "${slow[@]}"
for signal in INT KILL; do
  [[ $signal == INT ]] && enough=6 || enough=8
  "$quantproof" quantize "$model" stopped.gguf "${slow[@]}" --resume >out 2>err &
  worker=$!
  lines=0
  until [[ $lines -ge $enough ]]; do
    sleep 0.02
    kill -0 $worker 2>/dev/null || fail "the run ended before it could be stopped with $signal"
    lines=$(wc -l 2>/dev/null <<<"$(cat stopped.gguf.partial.journal 2>/dev/null)")
  done
  kill -s $signal $worker
  code=0
  wait $worker || code=$?
  case $signal in
    INT) [[ $code == 130 ]] || fail "exit code $code after SIGINT" ;;
    KILL) [[ $code == 137 ]] || fail "exit code $code after SIGKILL" ;;
  esac
  absent stopped.gguf
  if grep -q $'\x1b' err; then fail 'control codes where there is no terminal'; fi
done
expect 0 "$quantproof" quantize "$model" stopped.gguf "${slow[@]}" --resume
cmp stopped.gguf slow.gguf

# Many machines: two workers, one of them killed in a job.
expect 0 "$quantproof" quantize "$model" jobs.gguf --type iq3_xxs "${fast[@]}" --plan plan.json
says out 'jobs: 14'
for job in 0 2 4 6 8 10; do "$quantproof" quantize --plan plan.json --job $job --threads 1; done >even &
even=$!
for job in 1 3 5 7 9; do "$quantproof" quantize --plan plan.json --job $job --threads 1; done >odd
"$quantproof" quantize --plan plan.json --job 11 >killed 2>&1 &
killed=$!
kill -s KILL $killed
wait $killed && fail 'a job could not be killed'
wait $even
expect 4 "$quantproof" quantize --plan plan.json --merge
says err 'not done yet: 11, 12, 13'
absent jobs.gguf
for job in {0..13}; do expect 0 "$quantproof" quantize --plan plan.json --job $job; done
expect 0 "$quantproof" quantize --plan plan.json --merge --json merged.json
cmp jobs.gguf fast.gguf
[[ $(find . -name '*.job-*' | wc -l) == 0 ]] || fail 'parts are left'
expect 2 "$quantproof" quantize --plan plan.json --job 14
expect 2 "$quantproof" quantize --plan plan.json --merge

# The files of llama.cpp: every block of its IQ3_XXS is verified, and its layout is ours.
expect 0 "$quantproof" inspect "$data/llamacpp-iq3_xxs.gguf"
says out 'tensors checked: 57; faulty: 0'
expect 0 "$quantproof" quantize "$model" all.gguf --type iq3_xxs --imatrix "$data/imatrix.gguf" \
  --tensor-type '^output\.weight$=iq3_xxs' --effort fast
[[ $(stat -c %s all.gguf) -gt 2138000 && $(stat -c %s all.gguf) -lt 2139500 ]] || fail 'another size'

# imatrix: its forms become each other.
expect 0 "$quantproof" imatrix --convert "$data/imatrix.gguf" back.dat
cmp back.dat "$data/imatrix.dat"
expect 0 "$quantproof" imatrix --convert "$data/imatrix.dat" back.gguf --chunk-size 256
expect 0 "$quantproof" imatrix --stats back.gguf --json -
says out '"chunk_size": 256'
expect 0 "$quantproof" imatrix --stats "$data/imatrix.dat"
says out 'imatrix in the legacy form; entries: 43; chunks: 412'
expect 2 "$quantproof" imatrix --convert "$data/imatrix.gguf" back.dat
expect 3 "$quantproof" imatrix --stats "$model"
says err 'no imatrix: general.type is "model"'
echo 'quantize: everything ends in the same bytes'
