#!/bin/sh
# turns.sh BASE NEW [runs] [flags of exclave bench]: two builds of exclave crawl the same web, turn by turn, the one that
# goes first changing each time. Prints the crawler's processor time per 1,000 responses of each run, the medians, and the
# median of the ratios of neighbouring runs. Needs jq. Other work on the machine disturbs single runs; many short ones
# bear it better than few long ones.
set -eu
base=$1 new=$2
shift 2
runs=5
case "${1:-}" in
'' | -*) ;;
*) runs=$1; shift ;;
esac
out=$(mktemp -d)
n=1
while [ "$n" -le "$runs" ]; do
	order="base new"
	[ $((n % 2)) -eq 1 ] || order="new base"
	for name in $order; do
		binary=$base
		[ "$name" = base ] || binary=$new
		"$binary" bench --json "$out/$n.$name.json" "$@" >"$out/$n.$name.txt"
	done
	jq -rs --arg n "$n" '
def cpu: (.crawler.user_seconds + .crawler.system_seconds) * 1000 / .web.responses;
"\($n)\tbase \(.[0] | cpu)\tnew \(.[1] | cpu)\tratio \((.[1] | cpu) / (.[0] | cpu))"' "$out/$n.base.json" "$out/$n.new.json"
	n=$((n + 1))
done
jq -rs '
def cpu: (.crawler.user_seconds + .crawler.system_seconds) * 1000 / .web.responses;
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
[range(0; length; 2) as $i | {base: (.[$i] | cpu), new: (.[$i + 1] | cpu), peak: (.[$i + 1].crawler.peak_rss_bytes / .[$i].crawler.peak_rss_bytes)}] |
"base, CPU-s per 1,000\t\(map(.base) | median)",
"new, CPU-s per 1,000\t\(map(.new) | median)",
"new / base\t\(map(.new / .base) | median)",
"new / base, peak memory\t\(map(.peak) | median)"' "$out"/*.json
echo "$runs turns: $out"
