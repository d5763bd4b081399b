# Versions of the tools that checks and tests use; nothing else names them.
# Sourced by .ci/run and by the Makefile's targets.
GOLANGCI_LINT=v2.15.0 # has staticcheck built in
DEADCODE_TOOLS=v0.52.0 # of golang.org/x/tools
WARCIO=1.8.1
CDXJ_INDEXER=1.5.0
PYFTPD=2.2.0
WACZ=0.6.0 # what it needs is pinned in wacz.txt
PYWB=2.10.0 # what it needs is pinned in pywb.txt
JWARC=0.36.0
JWARC_SHA256=b472300077903e33c1efcb05d94e62bef8abe3179c6166c9597e6ec6d7c426da
ZSTD_JNI=1.5.7-6 # jwarc needs it for zstd
ZSTD_JNI_SHA256=8d6feb1da335f3ab13c584c613e23c7b3c61b392e37956872057baf8f0ca1d6f
REPLAYWEB=2.5.3
REPLAYWEB_SHA256=b7d35c39c4da9b7121c5a393911d8675d4cc6f19513c380191e16b086bea812c
MAVEN_DEPENDENCY=3.8.1

TOOLS="${EXCLAVE_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/exclave-tools}"
LINT="$TOOLS/golangci-lint-$GOLANGCI_LINT/golangci-lint"
DEADCODE="$TOOLS/deadcode-$DEADCODE_TOOLS/deadcode"
VENV="$TOOLS/warcio-$WARCIO"
PYFTPD_VENV="$TOOLS/pyftpdlib-$PYFTPD"
CDXJ_VENV="$TOOLS/cdxj-indexer-$CDXJ_INDEXER"
WACZ_VENV="$TOOLS/wacz-$WACZ"
PYWB_VENV="$TOOLS/pywb-$PYWB"
JWARC_JAR="$TOOLS/jwarc-$JWARC.jar"
ZSTD_JNI_JAR="$TOOLS/zstd-jni-$ZSTD_JNI.jar"
REPLAYWEB_DIR="$TOOLS/replaywebpage-$REPLAYWEB"
CHROMIUM=chromium-headless-shell # Debian's, whatever version it has: security fixes go first; without a window it is several times as fast

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

install_deadcode() {
	[ -x "$DEADCODE" ] || GOBIN="$(dirname "$DEADCODE")" go install \
		"golang.org/x/tools/cmd/deadcode@$DEADCODE_TOOLS"
}

# venv DIR makes an empty Python environment, in the place of one that was not finished.
venv() {
	rm -rf "$1"
	need python3 python3
	python3 -m venv "$1" 2>/dev/null || {
		need ensurepip-is-absent python3-venv
		python3 -m venv "$1"
	}
}

install_warcio() {
	[ -x "$VENV/bin/warcio" ] && return
	venv "$VENV"
	"$VENV/bin/pip" install --quiet --disable-pip-version-check "warcio==$WARCIO"
}

install_pyftpd() {
	"$PYFTPD_VENV/bin/python" -c 'import pyftpdlib' 2>/dev/null && return
	venv "$PYFTPD_VENV"
	"$PYFTPD_VENV/bin/pip" install --quiet --disable-pip-version-check "pyftpdlib==$PYFTPD"
}

install_cdxj_indexer() {
	[ -x "$CDXJ_VENV/bin/cdxj-indexer" ] && return
	venv "$CDXJ_VENV"
	"$CDXJ_VENV/bin/pip" install --quiet --disable-pip-version-check "cdxj-indexer==$CDXJ_INDEXER" "warcio==$WARCIO"
}

install_wacz() {
	[ -x "$WACZ_VENV/bin/wacz" ] && return
	venv "$WACZ_VENV"
	"$WACZ_VENV/bin/pip" install --quiet --disable-pip-version-check --no-deps \
		-r .ci/wacz.txt
}

install_pywb() {
	[ -x "$PYWB_VENV/bin/wayback" ] && return
	venv "$PYWB_VENV"
	"$PYWB_VENV/bin/pip" install --quiet --disable-pip-version-check --no-deps \
		-r .ci/pywb.txt
}

# maven ARTIFACT SHA256 JAR copies a jar out of Maven.
maven() {
	[ -f "$3" ] && return
	need mvn maven
	mkdir -p "$TOOLS/part"
	mvn --quiet --batch-mode \
		"org.apache.maven.plugins:maven-dependency-plugin:$MAVEN_DEPENDENCY:copy" \
		-Dartifact="$1" -DoutputDirectory="$TOOLS/part"
	echo "$2  $TOOLS/part/$(basename "$3")" | sha256sum --check --quiet
	mv "$TOOLS/part/$(basename "$3")" "$3"
}

install_jwarc() {
	need java default-jre-headless
	maven "org.netpreserve:jwarc:$JWARC" "$JWARC_SHA256" "$JWARC_JAR"
	maven "com.github.luben:zstd-jni:$ZSTD_JNI" "$ZSTD_JNI_SHA256" "$ZSTD_JNI_JAR"
}

# AGPL: for tests only. What it needs is built into its files.
install_replayweb() {
	[ -f "$REPLAYWEB_DIR/sw.js" ] && return
	need npm npm
	rm -rf "$TOOLS/part/replayweb"
	mkdir -p "$TOOLS/part/replayweb"
	npm pack --silent --pack-destination "$TOOLS/part" "replaywebpage@$REPLAYWEB" >/dev/null
	echo "$REPLAYWEB_SHA256  $TOOLS/part/replaywebpage-$REPLAYWEB.tgz" | sha256sum --check --quiet
	tar -xzf "$TOOLS/part/replaywebpage-$REPLAYWEB.tgz" -C "$TOOLS/part/replayweb" --strip-components=1
	mv "$TOOLS/part/replayweb" "$REPLAYWEB_DIR"
}

install_chromium() { need "$CHROMIUM" "$CHROMIUM"; }
