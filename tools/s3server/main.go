// Command s3server is an S3 server for tests and trials: the S3 gateway of Versity over a folder, with TLS under a certificate that it makes.
//
//	s3server [-listen 127.0.0.1:9000] DIR
//
// It makes in DIR, unless they are there, the bucket "archive", ca.pem and a shared-credentials file, and serves until it is ended. The user
// "stranger" in that file has keys, and no right to the bucket. It is a module of its own: what it needs has no place in exclave (ADR 77).
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// The keys are for nobody to keep secret: the server listens where it is told to, on loopback unless one insists.
const (
	access = "exclave-test"
	secret = "exclave-test-secret"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:9000", "address to listen on")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "s3server: one folder is needed: s3server [-listen ADDRESS] DIR")
		os.Exit(2)
	}
	if err := serve(flag.Arg(0), *listen); err != nil {
		fmt.Fprintln(os.Stderr, "s3server:", err)
		os.Exit(1)
	}
}

func serve(dir, listen string) error {
	buckets, beside := filepath.Join(dir, "buckets"), filepath.Join(dir, "meta")
	for _, d := range []string{filepath.Join(buckets, "archive"), beside} {
		if err := os.MkdirAll(d, 0o750); err != nil {
			return err
		}
	}
	cert, key := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "key.pem")
	if _, err := os.Stat(cert); err != nil {
		if err := certificate(listen, cert, key); err != nil {
			return err
		}
	}
	keys := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n\n[stranger]\naws_access_key_id = stranger\naws_secret_access_key = wrong\n", access, secret)
	if err := os.WriteFile(filepath.Join(dir, "credentials"), []byte(keys), 0o600); err != nil {
		return err
	}
	facts, err := meta.NewSideCar(beside)
	if err != nil {
		return err
	}
	store, err := posix.New(buckets, facts, posix.PosixOpts{SideCarDir: beside, ForceNoTmpFile: true, Concurrency: 100})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return embedgw.RunVersityGW(ctx, store, &embedgw.Config{RootUserAccess: access, RootUserSecret: secret, Ports: []string{listen},
		CertFile: cert, KeyFile: key, MaxConnections: 1000, MaxRequests: 1000, MultipartMaxParts: 10_000, KeepAlive: true, Quiet: true})
}

// certificate makes a certificate of the address that is its own authority.
func certificate(listen, cert, key string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "s3server"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: []string{"localhost"}}
	if ip := net.ParseIP(host); ip != nil {
		c.IPAddresses = []net.IP{ip}
	} else {
		c.DNSNames = append(c.DNSNames, host)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	if err := os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}
