#!/bin/sh
# verify.sh OLD NEW [JOB] [runs]: verifies one job with two programs, turn by turn, and with NEW --fast,
# and prints the median of wall time, processor time and peak memory, and the ratios. The machine should
# have nothing else to do. Without JOB (or with "") one is made: 150,000 resources of the
# synthetic web, about 2.2 GB, kept in the folder that is printed. Needs GNU time and jq.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 OLD NEW [JOB] [runs]" >&2; exit 2; }
old=$1 new=$2 job=${3:-} runs=${4:-3}
out=$(mktemp -d)
if [ -z "$job" ]; then
	"$new" bench --resources 150000 --dir "$out/web" >"$out/bench.txt"
	job=$out/web/job
fi
cat "$job"/warcs/* "$job"/state/frontier/* "$job"/logs/* >/dev/null # into the page cache, for all alike
once() { # name program flags…
	name=$1
	shift
	/usr/bin/time -f '{"name":"'"$name"'","wall":%e,"user":%U,"system":%S,"peak_kb":%M}' -a -o "$out/figures" \
		"$@" "$job" >"$out/$name.txt" 2>"$out/$name.err" || { echo "$name: exit code $?" >&2; cat "$out/$name.txt" "$out/$name.err" >&2; exit 1; }
}
n=1
while [ "$n" -le "$runs" ]; do
	once old "$old" verify
	once new "$new" verify --quiet
	once fast "$new" verify --fast --quiet
	uptime | sed 's/.*load/load/' >&2
	n=$((n + 1))
done
jq -rs '
def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def of(n; f): map(select(.name == n) | f) | median;
def round2: . * 100 | round / 100;
(. as $all | ["old", "new", "fast"][] as $n | $all | "\($n)\twall \(of($n; .wall)) s\tprocessor \(of($n; .user + .system) | round2) s\tpeak \(of($n; .peak_kb) / 1000 | round) MB"),
"old / new\twall \(of("old"; .wall) / of("new"; .wall) | round2)\tprocessor \(of("old"; .user + .system) / of("new"; .user + .system) | round2)",
"old / fast\twall \(of("old"; .wall) / of("fast"; .wall) | round2)\tprocessor \(of("old"; .user + .system) / of("fast"; .user + .system) | round2)"
' "$out/figures"
echo "$runs runs: $out"
