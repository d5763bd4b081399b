#!/usr/bin/env bash
# What the reader writes with $EDITOR: into job.toml where the web is, which is on loopback
# under its own names, and that nobody there needs to be spared; into seeds.txt where to begin.
# CONNECT_TO, DNS and CA are of that web.
set -euo pipefail

# set_to FILE KEY VALUE changes the first such line of the template, which must be there.
set_to() {
	grep -q "^$2 = " "$1" || { echo "editor: $1 has no setting $2"; exit 1; }
	sed -i "0,/^$2 = /s#^$2 = .*#$2 = $3#" "$1"
}

for file; do
	case "$file" in
	*job.toml)
		set_to "$file" allow '["127.0.0.0/8"]'
		set_to "$file" connect_to "$CONNECT_TO"
		set_to "$file" servers "[\"$DNS\"]"
		set_to "$file" root_certificates "[\"$CA\"]"
		set_to "$file" min_free_disk 0
		set_to "$file" grace '"1s"'
		for key in min_delay max_delay address_delay; do set_to "$file" "$key" '"0s"'; done
		for key in retry_delay dns_retry_delay; do set_to "$file" "$key" '"10ms"'; done
		for key in max_retries dns_retries; do set_to "$file" "$key" 1; done
		set_to "$file" hosts_per_address 0
		;;
	*seeds.txt)
		printf '%s\n' http://www.example.com/ https://example.org/page http://nobody.example.com/ \
			http://www.pilarna-horak.com/ http://www.krajane-viden.at/ >>"$file"
		;;
	*)
		echo "editor: what to write into $file?"
		exit 1
		;;
	esac
done
