#!/bin/sh
# Rebuilds dict/data/*.txt from their sources (docs/howto/word-lists.md).
# Needs python3 with msgpack, hunspell and aspell with the dictionaries named there, go.
#   tools/wordlists/build.sh [FOLDER FOR THE SOURCES]
set -eu
cd "$(dirname "$0")/../.."
work=${1:-$(mktemp -d)}
mkdir -p "$work"
wheel=wordfreq-3.1.1-py3-none-any.whl

[ -f "$work/$wheel" ] || python3 -m pip download --quiet --no-deps --dest "$work" wordfreq==3.1.1
echo "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473  $work/$wheel" | sha256sum --check --quiet -
python3 tools/wordlists/export.py "$work/$wheel" "$work/lists"

for lang in cs sk; do
	others=$(ls "$work"/lists/*.tsv | grep -v "/$lang\.tsv$")
	# shellcheck disable=SC2086 # one argument a file
	go run ./tools/wordlists -words "$work/lists/$lang.tsv" -exclude "$work/lists/$lang.exclude" \
		-keep "$work/lists/$lang.keep" -o "dict/data/$lang.txt" $others
done
