#!/bin/sh
# compare.sh [runs] [flags of exclave bench]: measures exclave and wget on the same web,
# turn by turn, and prints the median of each figure and of their ratio. The machine
# should have nothing else to do. Needs go, wget and jq. The JSON of each run is kept
# in the folder that is printed at the end.
set -eu
runs=3
case "${1:-}" in
'' | -*) ;;
*) runs=$1; shift ;;
esac
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
go build -o "$out/exclave" ./cmd/exclave
n=1
while [ "$n" -le "$runs" ]; do
	"$out/exclave" bench --wget --json "$out/$n.json" "$@" >"$out/$n.txt"
	n=$((n + 1))
done
jq -rs '
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def cpu(p; w): (p.user_seconds + p.system_seconds) * 1000 / w.responses;
def line(name; f): "\(name)\t\(map(f) | median * 1000 | round / 1000)";
line("exclave, CPU-s per 1,000"; cpu(.crawler; .web)),
line("wget, CPU-s per 1,000"; cpu(.wget.wget; .wget.web)),
line("exclave / wget, CPU per response"; cpu(.crawler; .web) / cpu(.wget.wget; .wget.web)),
line("exclave, responses/s"; .responses_per_second),
line("wget, responses/s"; .wget.web.responses / .wget.wall_seconds),
line("exclave / wget, responses/s"; .responses_per_second / (.wget.web.responses / .wget.wall_seconds)),
line("exclave, peak MB"; .crawler.peak_rss_bytes / 1e6),
line("wget, peak MB"; .wget.wget.peak_rss_bytes / 1e6),
line("completeness"; .completeness),
line("web, CPU-s per 1,000"; .web_cpu_seconds_per_1000)
' "$out"/*.json
echo "$runs runs: $out"
