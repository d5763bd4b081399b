package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// bucket is a bucket of an S3 server, with what all names there begin with.
type bucket struct {
	core     *minio.Core
	target   target
	readBack bool
	fs       fsx.FS
	clock    clock.Clock
	retry    func(what string, err error, after time.Duration)
	// blunt: the server knows no conditional requests. What has a name is then seen by looking before only.
	blunt atomic.Bool
}

func newBucket(c Config, t target, o Options) (*bucket, error) {
	keys, err := c.keys()
	if err != nil {
		return nil, err
	}
	u, err := c.endpoint()
	if err != nil {
		return nil, fmt.Errorf("store: endpoint %w (%w)", err, ErrSettings)
	}
	secure := u.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if c.CA != "" {
		pool, err := certificates(c.CA)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	}
	// Retries are ours: they follow the clock, and tell.
	core, err := minio.NewCore(u.Host, &minio.Options{Creds: keys, Secure: secure, Transport: transport, Region: c.Region, MaxRetries: 1})
	if err != nil {
		return nil, fmt.Errorf("store: %w (%w)", err, ErrSettings)
	}
	return &bucket{core: core, target: t, readBack: c.ReadBack, fs: o.FS, clock: o.Clock, retry: o.Retry}, nil
}

// keys finds the credentials. What is wrong is said without what they are.
func (c Config) keys() (*credentials.Credentials, error) {
	from, keys := "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", credentials.NewEnvAWS()
	if c.Credentials != "" {
		if _, err := os.Stat(c.Credentials); err != nil { // not wrapped: it would be taken for a missing WARC file
			return nil, fmt.Errorf("store: the file of credentials that the settings name cannot be read: %s (%w)", pathless(err).Error(), ErrSettings)
		}
		from, keys = "the file of credentials", credentials.NewFileAWSCredentials(c.Credentials, "")
	}
	v, err := keys.GetWithContext(nil)
	if err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
		return nil, fmt.Errorf("store: %s: no aws_access_key_id with aws_secret_access_key (of the profile %s): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file "+
			"in the form of AWS's shared credentials (--credentials, or credentials in [store]) (%w)", from, profile(), ErrSettings)
	}
	return keys, nil
}

func profile() string {
	if p := os.Getenv("AWS_PROFILE"); p != "" {
		return p
	}
	return "default"
}

// pathless leaves out what somebody may have taken for the place of a secret.
func pathless(err error) error {
	if p := (*os.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

func certificates(name string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("store: ca: %s (%w)", err.Error(), ErrSettings)
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("store: ca: %s holds no certificate in PEM (%w)", name, ErrSettings)
	}
	return pool, nil
}

// How often a request is tried, and how long is waited after a failure: each time twice as long.
const (
	tries     = 8
	firstWait = time.Second
	lastWait  = time.Minute
)

// slowest is the rate, in bytes a second, below which a connection counts as dead, and begin what each request gets beside.
const (
	slowest = 64 << 10
	begin   = 2 * time.Minute
)

// try makes a request that carries size bytes, again while its failure may pass.
func (b *bucket) try(ctx context.Context, what string, size int64, do func(context.Context) error) error {
	wait := firstWait
	for n := 1; ; n++ {
		once, cancel := context.WithTimeout(ctx, begin+time.Duration(size/slowest)*time.Second)
		err := do(once)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
		if n == tries || !passes(err) {
			return b.explain(what, err)
		}
		b.retry(what, err, wait)
		timer := b.clock.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-timer.C():
		}
		wait = min(2*wait, lastWait)
	}
}

// status returns what a server answered, the zero value when it did not.
func status(err error) (e minio.ErrorResponse) {
	_ = errors.As(err, &e)
	return e
}

// passes reports whether the same request may succeed later: what has no answer, or one that is about the server.
func passes(err error) bool {
	if untrusted(err) {
		return false
	}
	e := status(err)
	switch e.Code {
	case "SlowDown", "RequestTimeout", "InternalError", "Throttling", "ThrottlingException", "BadDigest", "XAmzContentSHA256Mismatch":
		return true // the last two: it was damaged on its way
	case "NotImplemented":
		return false
	}
	return e.StatusCode == 0 || e.StatusCode >= http.StatusInternalServerError || e.StatusCode == http.StatusTooManyRequests || e.StatusCode == http.StatusRequestTimeout
}

func untrusted(err error) bool {
	var tlsErr *tls.CertificateVerificationError
	return errors.As(err, &tlsErr)
}

// explain says what to do about a failure.
func (b *bucket) explain(what string, err error) error {
	e := status(err)
	switch {
	case untrusted(err):
		return fmt.Errorf("%s: %w: %w: name the authority of its certificate (--ca FILE, or ca in [store])", what, ErrDenied, err)
	case e.Code == "NoSuchBucket":
		return fmt.Errorf("%s: %w: there is no bucket %s: make it, or name another", what, ErrDenied, b.target.bucket)
	case e.Code == "SignatureDoesNotMatch", e.Code == "InvalidAccessKeyId", e.Code == "InvalidToken", e.Code == "ExpiredToken", e.StatusCode == http.StatusUnauthorized,
		e.Code == "XAdminUserNotFound": // Versity's
		return fmt.Errorf("%s: %w: the server does not accept the keys (%s): look at the file of credentials and its profile, %s, or at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", what, ErrDenied, e.Code, profile())
	case e.Code == "AuthorizationHeaderMalformed":
		return fmt.Errorf("%s: %w: %w: the bucket may be in another region (--region, or region in [store])", what, ErrDenied, err)
	case e.Code == "RequestTimeTooSkewed":
		return fmt.Errorf("%s: %w: %w: set the clock of this machine", what, ErrDenied, err)
	case e.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%s: %w (%s): the server does not accept the keys (look at the file of credentials and its profile, %s, or at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), or they lack a right "+
			"on the bucket %s: s3:GetObject, s3:PutObject, s3:ListBucket, s3:ListBucketMultipartUploads, s3:ListMultipartUploadParts", what, ErrDenied, e.Code, profile(), b.target.bucket)
	case e.StatusCode != 0:
		return fmt.Errorf("%s: the server answers %d %s: %w", what, e.StatusCode, e.Code, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// look returns what the server says of an object; there is false when there is none.
func (b *bucket) look(ctx context.Context, key string) (info minio.ObjectInfo, there bool, err error) {
	there = true
	err = b.try(ctx, "look for it", 0, func(ctx context.Context) (err error) {
		info, err = b.core.StatObject(ctx, b.target.bucket, key, minio.StatObjectOptions{Checksum: true})
		if status(err).StatusCode != http.StatusNotFound {
			return err
		}
		// What is not found is in the body, which the answer to HEAD does not have.
		body, _, _, err := b.core.GetObject(ctx, b.target.bucket, key, minio.GetObjectOptions{})
		if err == nil {
			return errors.Join(errors.New("it was put there just now"), body.Close())
		}
		if status(err).Code == "NoSuchKey" {
			there, err = false, nil
		}
		return err
	})
	return info, there, err
}

// compare returns nil when an object has the content of a file.
func (b *bucket) compare(ctx context.Context, key string, info minio.ObjectInfo, l *local) error {
	if info.Size != l.size {
		return taken(fmt.Sprintf("it has %d bytes, not %d", info.Size, l.size))
	}
	if sum := info.ChecksumSHA256; sum != "" && !b.readBack {
		if sum == l.whole() || sum == l.composite() {
			return nil
		}
		if raw, err := base64.StdEncoding.DecodeString(sum); err == nil && len(raw) == len(l.sum) && info.ChecksumMode != "COMPOSITE" {
			return taken("the server states another SHA-256")
		}
	}
	// Without a checksum, or with one of other parts.
	ok, err := same(ctx, b.object(ctx, key, info, readBackPiece), l)
	if err == nil && !ok {
		err = taken("reading it gives another SHA-256")
	}
	return err
}

const readBackPiece = 8 << 20

// open implements place.
func (b *bucket) open(ctx context.Context, name string, piece int) (*Object, error) {
	info, there, err := b.look(ctx, b.target.key(name))
	if err == nil && !there {
		err = fmt.Errorf("there is no such object: %w", os.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return b.object(ctx, b.target.key(name), info, piece), nil
}

func (b *bucket) object(ctx context.Context, key string, info minio.ObjectInfo, piece int) *Object {
	p := &pieces{ctx: ctx, size: info.Size, piece: int64(piece), fetch: func(ctx context.Context, from, n int64) (data []byte, err error) {
		err = b.try(ctx, fmt.Sprintf("read %d bytes at %d", n, from), n, func(ctx context.Context) (err error) {
			data, err = b.fetch(ctx, key, info.ETag, from, n)
			return err
		})
		return data, err
	}}
	return &Object{ReaderAt: p, size: info.Size, close: func() error { return nil }}
}

// fetch reads a range of an object that has not changed.
func (b *bucket) fetch(ctx context.Context, key, etag string, from, n int64) (_ []byte, err error) {
	o := minio.GetObjectOptions{}
	if err := errors.Join(o.SetRange(from, from+n-1), o.SetMatchETag(etag)); err != nil {
		return nil, err
	}
	body, _, header, err := b.core.GetObject(ctx, b.target.bucket, key, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	if got := header.Get("Content-Range"); !strings.HasPrefix(got, fmt.Sprintf("bytes %d-", from)) {
		return nil, fmt.Errorf("the server gives %q, not bytes from %d on", got, from)
	}
	data := make([]byte, n)
	_, err = io.ReadFull(body, data)
	return data, err
}
