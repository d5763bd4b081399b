package testweb

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"sync"
	"time"
)

// authority signs a certificate for every host name it is asked for.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate

	mu     sync.Mutex
	serial int64
	leaves map[string]*tls.Certificate
}

// newAuthority makes a certificate authority that is valid for a day around now.
func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("testweb: make authority key: %w", err)
	}
	tmpl := template(1)
	tmpl.Subject = pkix.Name{CommonName: "exclave testweb root"}
	tmpl.IsCA = true
	tmpl.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("testweb: sign authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("testweb: parse authority: %w", err)
	}
	return &authority{key: key, cert: cert, serial: 1, leaves: make(map[string]*tls.Certificate)}, nil
}

func template(serial int64) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber:          big.NewInt(serial),
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		BasicConstraintsValid: true,
	}
}

// certificate serves tls.Config.GetCertificate. Without a server name the
// certificate is for the address that was connected to.
func (a *authority) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := hello.ServerName
	if name == "" {
		host, _, err := net.SplitHostPort(hello.Conn.LocalAddr().String())
		if err != nil {
			return nil, fmt.Errorf("testweb: local address of a TLS connection: %w", err)
		}
		name = host
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if leaf := a.leaves[name]; leaf != nil {
		return leaf, nil
	}
	a.serial++
	tmpl := template(a.serial)
	tmpl.Subject = pkix.Name{CommonName: name}
	tmpl.KeyUsage = x509.KeyUsageDigitalSignature
	tmpl.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if ip := net.ParseIP(name); ip != nil {
		tmpl.IPAddresses = []net.IP{ip}
	} else {
		tmpl.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("testweb: sign certificate of %s: %w", name, err)
	}
	leaf := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.key}
	a.leaves[name] = leaf
	return leaf, nil
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}
