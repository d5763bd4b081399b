package sharedtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Warcio returns the path of the command warcio: what $EXCLAVE_WARCIO names, else
// the one on PATH. When there is neither, the test ends as with [Missing].
func Warcio(t testing.TB) string {
	t.Helper()
	return tool(t, "warcio", "EXCLAVE_WARCIO", "pip install warcio")
}

// CDXJIndexer returns the path of the command cdxj-indexer: what $EXCLAVE_CDXJ_INDEXER names, else the one
// on PATH. When there is neither, the test ends as with [Missing].
func CDXJIndexer(t testing.TB) string {
	t.Helper()
	return tool(t, "cdxj-indexer", "EXCLAVE_CDXJ_INDEXER", "pip install cdxj-indexer")
}

// Wacz returns the path of the command wacz: what $EXCLAVE_WACZ names, else the
// one on PATH. When there is neither, the test ends as with [Missing].
func Wacz(t testing.TB) string {
	t.Helper()
	return tool(t, "wacz", "EXCLAVE_WACZ", "pip install wacz")
}

// PyFTPd returns the python that has pyftpdlib: what $EXCLAVE_PYFTPD names. When there is none, the test ends as with [Missing].
func PyFTPd(t testing.TB) string {
	t.Helper()
	path := os.Getenv("EXCLAVE_PYFTPD")
	if path == "" {
		Missing(t, "no FTP server: pip install pyftpdlib, and say in $EXCLAVE_PYFTPD which python has it")
	}
	return path
}

// Zstd returns the path of the command zstd: what $EXCLAVE_ZSTD names, else the one on PATH. When there is neither, the test ends as with [Missing].
func Zstd(t testing.TB) string {
	t.Helper()
	return tool(t, "zstd", "EXCLAVE_ZSTD", "apt-get install zstd")
}

// Jwarc returns the command that runs jwarc, without arguments: java with the jars
// that $EXCLAVE_JWARC and $EXCLAVE_ZSTD_JNI name. When one is absent, the test ends as with [Missing].
func Jwarc(t testing.TB) []string {
	t.Helper()
	jar, zstd := os.Getenv("EXCLAVE_JWARC"), os.Getenv("EXCLAVE_ZSTD_JNI")
	if jar == "" || zstd == "" {
		Missing(t, "no jwarc: say in $EXCLAVE_JWARC where the jar org.netpreserve:jwarc is, and in $EXCLAVE_ZSTD_JNI where com.github.luben:zstd-jni is")
	}
	java := tool(t, "java", "EXCLAVE_JAVA", "install a Java runtime")
	// Short runs: the time goes into starting, not into compiling.
	return []string{java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", jar + string(os.PathListSeparator) + zstd, "org.netpreserve.jwarc.tools.WarcTool"}
}

// Pywb returns the path of a command of pywb ("wayback", "wb-manager",
// "cdx-indexer"), in the folder that $EXCLAVE_PYWB names, else on PATH. When it is
// absent, the test ends as with [Missing].
func Pywb(t testing.TB, command string) string {
	t.Helper()
	if dir := os.Getenv("EXCLAVE_PYWB"); dir != "" {
		return filepath.Join(dir, command)
	}
	return tool(t, command, "", "pip install pywb, or say in $EXCLAVE_PYWB in which folder it is")
}

// ReplayWeb returns the folder with ui.js and sw.js of ReplayWeb.page, which $EXCLAVE_REPLAYWEB names. When there is none, the test
// ends as with [Missing].
func ReplayWeb(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("EXCLAVE_REPLAYWEB")
	if dir == "" {
		Missing(t, "no ReplayWeb.page: say in $EXCLAVE_REPLAYWEB where the folder of the npm package replaywebpage is")
	}
	return dir
}

// Chromium returns the path of the browser: what $EXCLAVE_CHROMIUM names, else the
// one on PATH. When there is neither, the test ends as with [Missing].
func Chromium(t testing.TB) string {
	t.Helper()
	return tool(t, "chromium", "EXCLAVE_CHROMIUM", "apt-get install chromium")
}

// tool returns what the environment variable names, else the command on PATH.
func tool(t testing.TB, command, variable, remedy string) string {
	t.Helper()
	if path := os.Getenv(variable); variable != "" && path != "" {
		return path
	}
	path, err := exec.LookPath(command)
	if err != nil {
		hint := ""
		if variable != "" {
			hint = ", or say in $" + variable + " where it is"
		}
		Missing(t, "no "+command+": "+remedy+hint)
	}
	return path
}
