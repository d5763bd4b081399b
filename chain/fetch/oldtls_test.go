package fetch

import (
	"bufio"
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// certificateOf is a certificate with a key of its own. serial is one byte; more than 127 is a negative number.
func certificateOf(t *testing.T, bits int, serial byte) tls.Certificate {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(0x55), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"example.org"}, SignatureAlgorithm: x509.SHA256WithRSA}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(der, []byte{2, 1, 0x55})
	der[i+2] = serial
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: crypto.PrivateKey(key)}
}

// Old servers are harvested: with ciphers and versions that browsers have given up, keys that are too short, certificates that
// break the standard. What their certificates lack is noted, no more.
func TestOldServers(t *testing.T) {
	for _, c := range []struct {
		why       string
		version   uint16
		suite     uint16
		bits      int
		serial    byte
		suiteName string
	}{
		{"TLS 1.0, RSA, 3DES", tls.VersionTLS10, tls.TLS_RSA_WITH_3DES_EDE_CBC_SHA, 2048, 0x55, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"},
		{"TLS 1.0, RC4", tls.VersionTLS10, tls.TLS_RSA_WITH_RC4_128_SHA, 1024, 0x55, "TLS_RSA_WITH_RC4_128_SHA"},
		{"TLS 1.1, ECDHE, 3DES", tls.VersionTLS11, tls.TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA, 2048, 0x55, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA"},
		{"TLS 1.2, RSA", tls.VersionTLS12, tls.TLS_RSA_WITH_AES_128_CBC_SHA256, 2048, 0x55, "TLS_RSA_WITH_AES_128_CBC_SHA256"},
		{"a key of 512 bits", tls.VersionTLS12, tls.TLS_RSA_WITH_AES_128_CBC_SHA, 512, 0x55, "TLS_RSA_WITH_AES_128_CBC_SHA"},
		{"a key of 768 bits", tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 768, 0x55, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
		{"a negative serial number", tls.VersionTLS12, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, 2048, 0x95, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"},
	} {
		t.Run(c.why, func(t *testing.T) {
			var asked []tls.CurveID
			conf := &tls.Config{Certificates: []tls.Certificate{certificateOf(t, c.bits, c.serial)}, MinVersion: c.version, MaxVersion: c.version, CipherSuites: []uint16{c.suite},
				GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) { asked = h.SupportedCurves; return nil, nil }}
			addr := peer(t, func(_ int, c net.Conn) {
				s := tls.Server(c, conf)
				readRequest(s)
				_, _ = io.WriteString(s, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			})
			h := client(t, nil, func(o *Config, _ *Deps) { o.ConnectTo = map[string]string{"*:443": addr} })
			u := page("https://example.org/")
			if process(t, h, u); u.Status != 200 || u.CipherSuite != c.suiteName || !slices.ContainsFunc(u.Annotations, func(n string) bool { return strings.HasPrefix(n, "tls:") }) {
				t.Errorf("status %d, %s, %v", u.Status, u.CipherSuite, u.Annotations)
			}
			if slices.Contains(asked, tls.X25519MLKEM768) {
				t.Error("a key of 1,200 bytes is offered, which divides the first message: some old servers and firewalls never answer that")
			}
		})
	}
}

// Servers of before 2015 sign with SHA-1, also over TLS 1.2.
func TestServerWithSHA1(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("openssl, which can be such a server, is not there")
	}
	cert := certificateOf(t, 2048, 0x55)
	der, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "both.pem")
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})...)
	if err := os.WriteFile(file, both, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), openssl, "s_server", "-accept", "127.0.0.1:0", "-tls1_2", "-sigalgs", "RSA+SHA1", "-cipher", "ECDHE:@SECLEVEL=0",
		"-cert", file, "-key", file, "-www")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	addr := ""
	for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
		addr, _ = strings.CutPrefix(lines.Text(), "ACCEPT ")
		if addr == lines.Text() {
			addr = ""
		}
	}
	h := client(t, nil, func(o *Config, _ *Deps) { o.ConnectTo = map[string]string{"*:443": addr} })
	u := page("https://example.org/")
	if process(t, h, u); u.Status != 200 || !strings.Contains(received(t, u), "s_server") {
		t.Errorf("%s: status %d, %v", addr, u.Status, u.Annotations)
	}
}
