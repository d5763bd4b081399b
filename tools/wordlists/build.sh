#!/bin/sh
# Rebuilds dict/data/*.txt.gz from their sources (docs/howto/word-lists.md).
# Needs python3 with msgpack, hunspell and aspell with the dictionaries named there, go.
#   tools/wordlists/build.sh [FOLDER FOR THE SOURCES]
set -eu
cd "$(dirname "$0")/../.."
work=${1:-$(mktemp -d)}
mkdir -p "$work"
wheel=wordfreq-3.1.1-py3-none-any.whl

[ -f "$work/$wheel" ] || python3 -m pip download --quiet --no-deps --dest "$work" wordfreq==3.1.1
echo "4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473  $work/$wheel" | sha256sum --check --quiet -
[ -f "$work/lists/da.minus" ] || python3 tools/wordlists/export.py "$work/$wheel" "$work/lists"
go build -o "$work/exclave" ./cmd/exclave

# list, its frequency list, the neighbour that shares words with it, its frequency list,
# and further frequency lists that tell nothing: they are of the same words
while read -r list own neighbour theirs same; do
	minus=
	for f in "$work"/lists/*.tsv; do
		lang=$(basename "$f" .tsv)
		case " $own $theirs $same " in *" $lang "*) ;; *) minus="$minus,$f" ;; esac
	done
	set -- --minus "$work/lists/$list.minus$minus"
	if [ "$neighbour" != - ]; then
		set -- "$@" --shared-with "$neighbour=$work/lists/$list.shared"
		[ "$theirs" = - ] || set -- "$@" --shared-with "$neighbour=$work/lists/$theirs.tsv"
	fi
	"$work/exclave" dict build -o "$work/$list.txt" "$work/lists/$own.tsv" --keep "$work/lists/$list.keep" "$@" \
		--ascii --max 24000 --note "language: $list" --note "made of wordfreq 3.1.1, CC BY-SA 4.0"
	gzip -9nc "$work/$list.txt" >"dict/data/$list.txt.gz"
done <<LISTS
cs cs sk sk
sk sk cs cs
pl pl - -
sl sl hr sh bs
hr sh sr - bs
hu hu - -
no nb da da
da da no nb
LISTS
