package store

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/minio/minio-go/v7"
)

// put implements place.
func (b *bucket) put(ctx context.Context, name string, l *local) (there bool, sent int64, err error) {
	key := b.target.key(name)
	info, there, err := b.look(ctx, key)
	if err != nil {
		return false, 0, err
	}
	if there {
		return true, 0, b.compare(ctx, key, info, l)
	}
	f, err := b.fs.Open(l.path)
	if err != nil {
		return false, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	u := &upload{b, f, key, l, 0}
	if len(l.parts) == 1 {
		err = u.whole(ctx)
	} else {
		err = u.inParts(ctx)
	}
	if err != nil {
		return false, u.sent, err
	}
	// Whoever made it: what counts is what is there.
	info, there, err = b.look(ctx, key)
	if err == nil && !there {
		err = errors.New("the server took it, and says that it is not there; run it again")
	}
	if err == nil {
		err = b.compare(ctx, key, info, l)
	}
	return false, u.sent, err
}

// upload is a file on its way.
type upload struct {
	*bucket
	in   vfs.File
	key  string
	l    *local
	sent int64
}

// Headers of S3 (API reference, PutObject, CreateMultipartUpload, UploadPart).
const (
	headerSHA256    = "X-Amz-Checksum-Sha256"
	headerAlgorithm = "X-Amz-Checksum-Algorithm"
)

// options are those of a request that makes an object.
func (u *upload) options(meta map[string]string) minio.PutObjectOptions {
	o := minio.PutObjectOptions{ContentType: "application/warc", UserMetadata: meta}
	if strings.HasSuffix(u.key, ".gz") {
		o.ContentType = "application/gzip"
	}
	if !u.blunt.Load() {
		o.SetMatchETagExcept("*")
	}
	return o
}

// create makes the object by a request with the given metadata. What has the name by now is compared afterwards.
func (u *upload) create(ctx context.Context, what string, size int64, meta map[string]string, do func(context.Context, minio.PutObjectOptions) error) error {
	return u.try(ctx, what, size, func(ctx context.Context) error {
		err := do(ctx, u.options(meta))
		if status(err).Code == "NotImplemented" && u.blunt.CompareAndSwap(false, true) {
			err = do(ctx, u.options(meta))
		}
		if e := status(err); e.StatusCode == http.StatusPreconditionFailed || e.Code == "NoSuchUpload" {
			return nil // another one made it, or this one did and its answer was lost
		}
		return err
	})
}

func (u *upload) section(p part) io.Reader { return io.NewSectionReader(u.in, p.from, p.size) }

// whole sends the file in one request.
func (u *upload) whole(ctx context.Context) error {
	digest := hex.EncodeToString(u.l.sum[:])
	return u.create(ctx, "send it", u.l.size, map[string]string{headerSHA256: u.l.whole(), "sha256": digest}, func(ctx context.Context, o minio.PutObjectOptions) error {
		u.sent += u.l.size
		_, err := u.core.PutObject(ctx, u.target.bucket, u.key, u.section(u.l.parts[0]), u.l.size, "", digest, o)
		return err
	})
}

// inParts sends the file in parts, but for those that an upload that broke off has sent.
func (u *upload) inParts(ctx context.Context) error {
	id, err := u.begun(ctx)
	if err != nil {
		return err
	}
	have := map[int]minio.ObjectPart{}
	if id != "" {
		if have, id, err = u.parts(ctx, id); err != nil {
			return err
		}
	}
	if id == "" {
		meta := map[string]string{headerAlgorithm: "SHA256", "sha256": hex.EncodeToString(u.l.sum[:])}
		if err := u.try(ctx, "begin", 0, func(ctx context.Context) (err error) {
			id, err = u.core.NewMultipartUpload(ctx, u.target.bucket, u.key, minio.PutObjectOptions{ContentType: u.options(nil).ContentType, UserMetadata: meta})
			return err
		}); err != nil {
			return err
		}
	}
	done := make([]minio.CompletePart, len(u.l.parts))
	for i, p := range u.l.parts {
		n := i + 1
		sum := base64.StdEncoding.EncodeToString(p.sum[:])
		done[i] = minio.CompletePart{PartNumber: n, ChecksumSHA256: sum, ETag: have[n].ETag}
		if p.matches(have[n]) {
			continue
		}
		if err := u.try(ctx, fmt.Sprintf("send part %d of %d", n, len(u.l.parts)), p.size, func(ctx context.Context) error {
			u.sent += p.size
			made, err := u.core.PutObjectPart(ctx, u.target.bucket, u.key, id, n, u.section(p), p.size,
				minio.PutObjectPartOptions{Sha256Hex: hex.EncodeToString(p.sum[:]), CustomHeader: http.Header{headerSHA256: {sum}}})
			done[i].ETag = made.ETag
			return err
		}); err != nil {
			return err
		}
	}
	return u.create(ctx, "complete it", 0, nil, func(ctx context.Context, o minio.PutObjectOptions) error {
		_, err := u.core.CompleteMultipartUpload(ctx, u.target.bucket, u.key, id, done, o)
		return err
	})
}

// matches reports whether a part that the server has is this one: by its SHA-256, or where the server states none by its MD5.
func (p *part) matches(have minio.ObjectPart) bool {
	if have.Size != p.size || have.ETag == "" {
		return false
	}
	if have.ChecksumSHA256 != "" {
		return have.ChecksumSHA256 == base64.StdEncoding.EncodeToString(p.sum[:])
	}
	return strings.Trim(have.ETag, `"`) == hex.EncodeToString(p.md5[:])
}

// begun returns the newest upload of this name that was not completed, "" without one.
func (u *upload) begun(ctx context.Context) (id string, err error) {
	var newest minio.ObjectMultipartInfo
	err = u.try(ctx, "look for an upload that broke off", 0, func(ctx context.Context) error {
		all, err := u.core.ListMultipartUploads(ctx, u.target.bucket, u.key, "", "", "", 1000)
		for _, m := range all.Uploads {
			if m.Key == u.key && (newest.UploadID == "" || m.Initiated.After(newest.Initiated)) {
				newest = m
			}
		}
		return err
	})
	return newest.UploadID, err
}

// parts returns what the server has of an upload; it returns no id when the server does not know the upload any more.
func (u *upload) parts(ctx context.Context, id string) (have map[int]minio.ObjectPart, _ string, err error) {
	have = map[int]minio.ObjectPart{}
	for marker, more := 0, true; more && id != ""; {
		if err := u.try(ctx, "look what was sent before", 0, func(ctx context.Context) error {
			list, err := u.core.ListObjectParts(ctx, u.target.bucket, u.key, id, marker, 1000)
			if status(err).Code == "NoSuchUpload" {
				id, err = "", nil
			}
			for _, p := range list.ObjectParts {
				have[p.PartNumber] = p
			}
			more, marker = list.IsTruncated && list.NextPartNumberMarker > marker, list.NextPartNumberMarker
			return err
		}); err != nil {
			return nil, "", err
		}
	}
	return have, id, nil
}
