package store_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/warc/store"
	"exclave/warc/store/storetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

const partSize = 5 << 20

// file makes a file of n bytes that do not repeat.
func file(t *testing.T, n int) (path, digest string, data []byte) {
	t.Helper()
	data = make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(n)}).Read(data)
	path = filepath.Join(t.TempDir(), "a.warc.gz")
	must(t, os.WriteFile(path, data, 0o600))
	sum := sha256.Sum256(data)
	return path, hex.EncodeToString(sum[:]), data
}

// read returns what is stored, read in odd pieces.
func read(t *testing.T, s *store.Store, name string) []byte {
	t.Helper()
	o, err := s.Open(t.Context(), name, 100_000)
	must(t, err)
	defer o.Close()
	data, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size()+1))
	must(t, err)
	return data
}

func open(t *testing.T, c store.Config) *store.Store {
	t.Helper()
	c.PartSize = partSize
	s, err := store.New(c, store.Options{Clock: storetest.Hasty()})
	must(t, err)
	return s
}

// What holds of every place: the file is there as it was, once; nothing is overwritten; a file that is not what its digest says is not stored.
func conform(t *testing.T, c store.Config) {
	for _, n := range []int{0, 1000, partSize, 2*partSize + 4711} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			s, name := open(t, c), fmt.Sprintf("f-%d.warc.gz", n)
			path, digest, data := file(t, n)
			if _, err := s.Put(t.Context(), path, name, strings.Repeat("0", 64)); !errors.Is(err, store.ErrChanged) {
				t.Errorf("with another digest: %v", err)
			}
			if _, err := s.Open(t.Context(), name, 1000); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("before it was stored: %v", err)
			}
			put, err := s.Put(t.Context(), path, name, digest)
			if err != nil || put.There || put.Sent != int64(n) || put.Address != s.Address(name) {
				t.Fatalf("%+v, %v", put, err)
			}
			if got := read(t, s, name); !bytes.Equal(got, data) {
				t.Errorf("%d bytes, other ones", len(got))
			}
			again, err := s.Put(t.Context(), path, name, digest)
			if err != nil || !again.There || again.Sent != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
			other, theirs, _ := file(t, n+1)
			if _, err := s.Put(t.Context(), other, name, theirs); !errors.Is(err, store.ErrTaken) || !strings.Contains(err.Error(), s.Address(name)) {
				t.Errorf("the name is taken: %v", err)
			}
			if n > 0 {
				data[n/2]++
				sum := sha256.Sum256(data)
				must(t, os.WriteFile(path, data, 0o600))
				if _, err := s.Put(t.Context(), path, name, hex.EncodeToString(sum[:])); !errors.Is(err, store.ErrTaken) {
					t.Errorf("the name is taken by content of the same length: %v", err)
				}
			}
			if got := read(t, s, name); len(got) != n {
				t.Errorf("then %d bytes", len(got))
			}
		})
	}
}

func TestStoreDisk(t *testing.T) {
	dir := t.TempDir()
	c := store.DefaultConfig()
	for _, to := range []string{filepath.Join(dir, "a", "b"), "file://" + dir + "/c%20d"} {
		c.To = to
		conform(t, c)
	}
	if _, err := os.Stat(filepath.Join(dir, "c d", "f-1000.warc.gz")); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*.part")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A copy that a kill ended is continued, unless what there is of it is something else.
func TestStoreDiskResumes(t *testing.T) {
	path, digest, data := file(t, 3_000_000)
	for name, c := range map[string]struct {
		half []byte
		sent int64
	}{"half": {data[:2_000_000], 1_000_000}, "foreign": {make([]byte, 2_000_000), 4_000_000}, "long": {make([]byte, 4_000_000), 3_000_000}} {
		cfg := store.DefaultConfig()
		cfg.To = t.TempDir()
		must(t, os.WriteFile(filepath.Join(cfg.To, "x.part"), c.half, 0o600))
		put, err := open(t, cfg).Put(t.Context(), path, "x", digest)
		if err != nil || put.Sent != c.sent {
			t.Errorf("%s: %+v, %v", name, put, err)
		}
		if got, err := os.ReadFile(filepath.Join(cfg.To, "x")); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever operation fails, what has the final name is the file.
func TestStoreDiskFaults(t *testing.T) {
	path, digest, data := file(t, 100_000)
	for at := int64(0); ; at++ {
		fsys := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: at})
		c := store.DefaultConfig()
		c.To = t.TempDir()
		s, err := store.New(c, store.Options{FS: fsys})
		must(t, err)
		_, err = s.Put(t.Context(), path, "x", digest)
		got, there := os.ReadFile(filepath.Join(c.To, "x"))
		if there == nil && !bytes.Equal(got, data) || err == nil && there != nil {
			t.Fatalf("operation %d fails: %v; %v", at, err, there)
		}
		if _, failed := fsys.Counts(); failed == 0 {
			if err != nil || at < 10 {
				t.Errorf("after %d operations: %v", at, err)
			}
			return
		}
		if again, err := open(t, c).Put(t.Context(), path, "x", digest); err != nil {
			t.Errorf("operation %d fails, then: %+v, %v", at, again, err)
		}
	}
}

func TestStoreBucket(t *testing.T) {
	s := storetest.Start(t)
	t.Run("server", func(t *testing.T) { conform(t, s.Config("deep/er")) })
	t.Run("read back", func(t *testing.T) {
		c := s.Config("read")
		c.ReadBack = true
		conform(t, c)
	})
	t.Run("no checksum", func(t *testing.T) { // the server states none: everything is read back
		p, c := s.Proxy(t), s.Config("none")
		p.Drop("X-Amz-Checksum-Sha256", "X-Amz-Checksum-Type")
		c.Endpoint = p.Endpoint
		conform(t, c)
	})
	t.Run("every third request fails", func(t *testing.T) {
		p, c := s.Proxy(t), s.Config("third")
		n, kinds := 0, []int{503, -1, 500, 429}
		p.Before(func(*http.Request) int {
			if n++; n%3 == 0 {
				return kinds[n/3%len(kinds)]
			}
			return 0
		})
		c.Endpoint = p.Endpoint
		path, digest, data := file(t, 3*partSize+1)
		st := open(t, c)
		if put, err := st.Put(t.Context(), path, "x", digest); err != nil || put.There {
			t.Fatalf("%+v, %v", put, err)
		}
		if got := read(t, st, "x"); !bytes.Equal(got, data) {
			t.Error("other bytes")
		}
		if n < 9 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("resumes", func(t *testing.T) {
		p, c := s.Proxy(t), s.Config("resumed")
		c.Endpoint = p.Endpoint
		path, digest, data := file(t, 4*partSize)
		ctx, kill := context.WithCancel(t.Context())
		p.Before(func(r *http.Request) int {
			if r.URL.Query().Get("partNumber") == "4" {
				kill()
				return -1
			}
			return 0
		})
		if _, err := open(t, c).Put(ctx, path, "x", digest); !errors.Is(err, context.Canceled) {
			t.Fatalf("killed: %v", err)
		}
		p.Before(nil)
		before := p.Sent.Load()
		put, err := open(t, c).Put(t.Context(), path, "x", digest)
		if err != nil || put.There || put.Sent != partSize {
			t.Errorf("%+v, %v", put, err)
		}
		if sent := p.Sent.Load() - before; sent < partSize || sent > partSize+4096 {
			t.Errorf("%d bytes passed, of %d", sent, len(data))
		}
		if got := read(t, open(t, c), "x"); !bytes.Equal(got, data) {
			t.Error("other bytes")
		}
	})
	t.Run("other parts", func(t *testing.T) { // of an upload with another part size, and of another content
		p, c := s.Proxy(t), s.Config("other")
		c.Endpoint = p.Endpoint
		path, _, data := file(t, 4*partSize)
		data[5]++
		sum := sha256.Sum256(data)
		must(t, os.WriteFile(path, data, 0o600))
		ctx, kill := context.WithCancel(t.Context())
		p.Before(func(r *http.Request) int {
			if r.URL.Query().Get("partNumber") == "3" {
				kill()
				return -1
			}
			return 0
		})
		if _, err := open(t, c).Put(ctx, path, "x", hex.EncodeToString(sum[:])); !errors.Is(err, context.Canceled) {
			t.Fatalf("killed: %v", err)
		}
		p.Before(nil)
		path, digest, data := file(t, 4*partSize)
		put, err := open(t, c).Put(t.Context(), path, "x", digest)
		if err != nil || put.Sent != 3*partSize { // the second part is the same
			t.Errorf("%+v, %v", put, err)
		}
		if got := read(t, open(t, c), "x"); !bytes.Equal(got, data) {
			t.Error("other bytes")
		}
	})
	t.Run("damaged there", func(t *testing.T) {
		c := s.Config("damaged")
		c.ReadBack = true
		p := s.Proxy(t)
		c.Endpoint = p.Endpoint
		path, digest, _ := file(t, 2*partSize)
		p.Before(func(r *http.Request) int { // once it is complete, before it is compared
			if r.Method == http.MethodHead {
				rot(t, s.Object("damaged/x"))
			}
			return 0
		})
		if _, err := open(t, c).Put(t.Context(), path, "x", digest); !errors.Is(err, store.ErrTaken) || !strings.Contains(err.Error(), "SHA-256") {
			t.Errorf("%v", err)
		}
	})
	t.Run("refused", func(t *testing.T) { refused(t, s) })
}

// rot changes a byte of a file, if it is there.
func rot(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(name, data, 0o600))
}

// refused: what trying again does not help is said at once, with what to do, and no secret.
func refused(t *testing.T, s *storetest.Server) {
	path, digest, _ := file(t, 1000)
	keys := filepath.Join(t.TempDir(), "keys")
	must(t, os.WriteFile(keys, []byte("[default]\naws_access_key_id = exclave-test\naws_secret_access_key = topsecret\n"), 0o600))
	for name, c := range map[string]struct {
		change func(*store.Config)
		says   string
	}{
		"wrong secret": {func(c *store.Config) { c.Credentials = keys }, "does not accept the keys"},
		"no bucket":    {func(c *store.Config) { c.To = "s3://nobody/x" }, "there is no bucket nobody"},
		"no authority": {func(c *store.Config) { c.CA = "" }, "--ca FILE"},
	} {
		cfg := s.Config("refused")
		c.change(&cfg)
		retried := 0
		st, err := store.New(cfg, store.Options{Clock: storetest.Hasty(), Retry: func(string, error, time.Duration) { retried++ }})
		must(t, err)
		_, err = st.Put(t.Context(), path, "x", digest)
		if !errors.Is(err, store.ErrDenied) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "topsecret") || retried > 0 {
			t.Errorf("%s: after %d retries: %v", name, retried, err)
		}
	}
	t.Run("profile", func(t *testing.T) {
		t.Setenv("AWS_PROFILE", "stranger")
		if _, err := open(t, s.Config("refused")).Put(t.Context(), path, "x", digest); !errors.Is(err, store.ErrDenied) || !strings.Contains(err.Error(), "stranger") {
			t.Errorf("a stranger: %v", err)
		}
		t.Setenv("AWS_PROFILE", "nobody")
		if _, err := store.New(s.Config("x"), store.Options{}); !errors.Is(err, store.ErrSettings) || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("no such profile: %v", err)
		}
	})
	t.Run("environment", func(t *testing.T) {
		cfg := s.Config("environment")
		cfg.Credentials = ""
		t.Setenv("AWS_ACCESS_KEY_ID", "")
		if _, err := store.New(cfg, store.Options{}); !errors.Is(err, store.ErrSettings) || !strings.Contains(err.Error(), "AWS_SECRET_ACCESS_KEY") {
			t.Errorf("no keys: %v", err)
		}
		t.Setenv("AWS_ACCESS_KEY_ID", "exclave-test")
		t.Setenv("AWS_SECRET_ACCESS_KEY", "exclave-test-secret")
		if _, err := open(t, cfg).Put(t.Context(), path, "x", digest); err != nil {
			t.Error(err)
		}
	})
}

// Settings that mean nothing are refused, and no message shows what may be a secret.
func TestStoreConfig(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*store.Config)
		key    string
	}{
		"scheme":      {func(c *store.Config) { c.To = "ftp://x/y" }, "to"},
		"no bucket":   {func(c *store.Config) { c.To = "s3:///y" }, "to"},
		"secret":      {func(c *store.Config) { c.To = "s3://AKIA:topsecret@bucket/y" }, "to"},
		"climbs":      {func(c *store.Config) { c.To = "s3://b/a/../c" }, "to"},
		"two slashes": {func(c *store.Config) { c.To = "file://x" }, "to"},
		"user":        {func(c *store.Config) { c.Endpoint = "https://AKIA:topsecret@h" }, "endpoint"},
		"path":        {func(c *store.Config) { c.Endpoint = "https://h/bucket" }, "endpoint"},
		"no scheme":   {func(c *store.Config) { c.Endpoint = "h:9000" }, "endpoint"},
		"region":      {func(c *store.Config) { c.Region = "" }, "region"},
		"inline":      {func(c *store.Config) { c.Credentials = "aws_secret_access_key=topsecret" }, "credentials"},
		"small":       {func(c *store.Config) { c.PartSize = 1 }, "part_size"},
	} {
		cfg := store.DefaultConfig()
		c.change(&cfg)
		ps := cfg.Validate()
		if len(ps) != 1 || ps[0].Key != c.key || strings.Contains(ps[0].String(), "topsecret") {
			t.Errorf("%s: %v", name, ps)
		}
	}
	ok := store.DefaultConfig()
	ok.To = "s3://bucket"
	if ps := ok.Validate(); len(ps) > 0 || !ok.On() {
		t.Error(ps)
	}
	for address, want := range map[string][2]string{"s3://b/x/y.gz": {"s3://b/x", "y.gz"}, "s3://b/y.gz": {"s3://b", "y.gz"}, "/a/b": {"/a", "b"}, "/b": {"/", "b"}, "b": {".", "b"}} {
		if to, name := store.Split(address); to != want[0] || name != want[1] {
			t.Errorf("%s: %s and %s", address, to, name)
		}
	}
	if a, b, c, d := store.Absolute("x", "/job"), store.Absolute("/x", "/job"), store.Absolute("s3://b", "/job"), store.Absolute("", "/job"); a != "/job/x" || b != "/x" || c != "s3://b" || d != "" {
		t.Error(a, b, c, d)
	}
}
