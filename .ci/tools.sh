# Versions of the tools that checks and tests use; nothing else names them.
# Sourced by .ci/run and by the Makefile's targets.
GOLANGCI_LINT=v2.15.0 # has staticcheck built in
WARCIO=1.7.5

TOOLS="${EXCLAVE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/exclave-tools}"
LINT="$TOOLS/golangci-lint-$GOLANGCI_LINT/golangci-lint"
VENV="$TOOLS/warcio-$WARCIO"

# need COMMAND PACKAGE… installs Debian packages when the command is absent.
need() {
	command -v "$1" >/dev/null && return
	shift
	local sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "$@"
}

install_lint() {
	[ -x "$LINT" ] || GOBIN="$(dirname "$LINT")" go install \
		"github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$GOLANGCI_LINT"
}

install_warcio() {
	[ -x "$VENV/bin/warcio" ] && return
	need python3 python3
	python3 -m venv "$VENV" 2>/dev/null || {
		need ensurepip-is-absent python3-venv
		python3 -m venv "$VENV"
	}
	"$VENV/bin/pip" install --quiet --disable-pip-version-check "warcio==$WARCIO"
}
