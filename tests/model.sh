#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: model.sh QUANTPROOF DATA WORK
#
# perplexity, imatrix and ladder as people run them: on real small models, by the command alone.
set -euo pipefail
quantproof=$1
data=$2
work=$3
# shellcheck source=tests/command.sh
source "$(dirname "$0")/command.sh"

stories=$data/stories260k/stories260K.f32.gguf
text=$data/stories260k/tinystories_sample.txt
bytes=$data/bytellama/model-f16.gguf
iq3=$data/bytellama/llamacpp-iq3_xxs.gguf
head -c 1024 "$data/bytellama/heldout.txt" >short.txt

# The same numbers from either decoder and any number of threads.
expect 0 "$quantproof" perplexity "$iq3" short.txt --base "$bytes" --threads 1 --json one.json
says out 'tokens 1024, chunks 4 of 256, scored 508'
says out '3.0625 bits per weight'
expect 0 "$quantproof" perplexity "$iq3" short.txt --base "$bytes" --threads 3 --json -
mv out three.json
expect 0 "$quantproof" perplexity "$iq3" short.txt --base "$bytes" --reference --json -
mv out reference.json
python3 - <<'EOF' || fail 'the reports differ'
import json
one, three, reference = (json.load(open(n + ".json")) for n in ("one", "three", "reference"))
assert one["decoding"] == "fast" and reference.pop("decoding") == "reference"
assert one == three
one.pop("decoding")
assert one == reference
assert 0.02 < one["base"]["kld"] < 0.05 and 0.85 < one["base"]["same_top"] < 0.95
EOF

# Every container: KNOT carries the metadata, safetensors takes those of the base.
expect 0 "$quantproof" quantize "$stories" e8.safetensors --type e8_iq3 --effort fast
expect 0 "$quantproof" quantize "$stories" e8.knot --type e8_iq3 --effort fast
expect 3 "$quantproof" perplexity e8.safetensors "$text"
says err 'takes those of --base'
for file in e8.safetensors e8.knot; do
  expect 0 "$quantproof" perplexity $file "$text" --base "$stories" --json -
  python3 -c 'import json; r = json.load(open("out")); r.pop("model"); print(json.dumps(r))' >$file.json
done
cmp e8.safetensors.json e8.knot.json

# Importances, in both forms: the same means.
expect 0 "$quantproof" imatrix "$stories" "$text" m.gguf --context 100
says out 'm.gguf: GGUF form, entries: 36; chunks: 18 of 100'
expect 0 "$quantproof" imatrix "$stories" "$text" m.dat --context 100 --threads 3
says out 'm.dat: legacy form'
expect 0 "$quantproof" imatrix --convert m.gguf converted.dat
cmp m.dat converted.dat
expect 0 "$quantproof" imatrix --stats m.gguf
says out 'dataset "tinystories_sample.txt"'
expect 0 "$quantproof" quantize "$stories" weighted.knot --type kaiju1 --imatrix m.gguf
expect 2 "$quantproof" imatrix "$stories" "$text" m.gguf --context 100
says err '--force'
expect 2 "$quantproof" imatrix "$stories" "$text"
expect 2 "$quantproof" imatrix "$stories" "$text" x.gguf --stats m.gguf
absent x.gguf

# A ladder, its reports, and its verdict.
expect 0 "$quantproof" ladder "$stories" "$text" --types q8_0,kaiju1:0.3,kaiju1:0 --imatrix m.gguf \
  --fallback f16 --context 256 --json ladder.json --html ladder.html
says out 'monotonic: more bits are never worse'
cp out ladder.txt
python3 - <<'EOF' || fail 'the reports of the ladder'
import html.parser, json
report = json.load(open("ladder.json"))
names = [rung["name"] for rung in report["rungs"]]
assert names == ["kaiju1:0", "kaiju1:0.3", "q8_0"], names
assert report["monotonic"] is True and report["inversions"] == []
assert sorted(r["kld"] for r in report["rungs"])[::-1] == [r["kld"] for r in report["rungs"]]
page = open("ladder.html").read()
for rung in report["rungs"]:
    assert page.count(rung["name"]) >= 3, rung
    assert f'{rung["kld"]:.6f}' in page
for outside in ("http:", "https:", "<script", "src=", "url("):
    assert outside not in page, outside
class Balance(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta",): self.open.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag): assert self.open.pop() == tag, tag
balance = Balance()
balance.feed(page)
assert balance.open == []
EOF
# A file that has more bits and is worse: E8/IQ3 with its short rows padded to blocks.
expect 1 "$quantproof" ladder "$stories" "$text" --types kaiju1:0.3 --imatrix m.gguf --context 256 \
  --file e8.knot --json -
python3 - <<'EOF' || fail 'the inversion'
import json
report = json.load(open("out"))
assert report["monotonic"] is False
assert [(i["lower"], i["higher"]) for i in report["inversions"]] == [("kaiju1:0.3", "e8.knot")]
EOF

# What cannot be done: each with its exit code, and as JSON where that is asked for.
: >empty.txt
expect 4 "$quantproof" perplexity "$bytes" empty.txt
says err 'empty.txt: nothing to measure: 0 tokens do not fill a context of 256'
head -c 255 short.txt >shorter.txt
expect 4 "$quantproof" perplexity "$bytes" shorter.txt --json -
python3 -c 'import json; assert json.load(open("out"))["error"]["exit_code"] == 4'
expect 2 "$quantproof" perplexity "$bytes" short.txt --context 257
says err 'the model has contexts of 3 to 256'
expect 2 "$quantproof" perplexity "$bytes" short.txt --context 2
expect 3 "$quantproof" perplexity missing.gguf short.txt
expect 3 "$quantproof" perplexity "$bytes" missing.txt
expect 3 "$quantproof" perplexity short.txt short.txt
expect 3 "$quantproof" perplexity "$bytes" short.txt --base "$stories"
says err 'has a vocabulary of'
expect 3 "$quantproof" perplexity "$data/bytellama/imatrix.gguf" short.txt
expect 2 "$quantproof" ladder "$bytes" short.txt
expect 2 "$quantproof" ladder "$bytes" short.txt --types kaiju1:2
expect 2 "$quantproof" perplexity "$bytes" short.txt --json one.json

# An interruption: 130, and nothing is left behind.
cat "$data/bytellama/heldout.txt" "$data/bytellama/heldout.txt" >long.txt
"$quantproof" imatrix "$bytes" long.txt long.gguf >out 2>err &
pid=$!
sleep 1
kill -INT $pid
code=0
wait $pid || code=$?
[[ $code == 130 ]] || fail "interrupted: exit code $code"
absent long.gguf
absent long.gguf.partial
echo 'perplexity, imatrix, ladder: as expected'
