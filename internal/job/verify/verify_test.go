package verify_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"

	"github.com/cockroachdb/pebble/v2"
)

const (
	home  = "http://www.a.example/"
	page2 = "http://www.a.example/two"
	image = "http://img.b.example/i.png"
)

// Issue 3: verify finds every seeded damage and says what and where. Each case
// damages a copy of the same finished job; want are a place and a defect, as
// regular expressions, one pair for each that must be found.
func TestVerifyFindsDamage(t *testing.T) {
	web := testweb.Tiny{
		home:  testweb.National(testweb.Img(image), "/two", "http://www.neco.cz/", "mailto:x@a.example"),
		page2: testweb.NationalPage(2, "/gone"),
		image: testweb.Text("not really an image"),
	}
	cfg := jobtest.Config(t, jobtest.Serve(t, web), home)
	cfg.Crawl.ToeThreads, cfg.WARC.PoolSize = 1, 1
	jobtest.Run(t, cfg)
	if defects := jobtest.Verify(t, folder.Of(cfg, folder.Env{})); len(defects) > 0 {
		t.Fatalf("the job is not clean: %v", defects)
	}
	for _, tc := range damages() {
		t.Run(tc.why, func(t *testing.T) {
			copied := *cfg
			copied.Dir = t.TempDir()
			jobtest.Must(t, os.CopyFS(copied.Dir, os.DirFS(cfg.Dir)))
			v := &jobtest.Victim{TB: t, Config: &copied}
			files, err := filepath.Glob(filepath.Join(copied.Dir, folder.WARCDir, "*.warc.gz"))
			jobtest.Must(t, err)
			if len(files) != 1 {
				t.Fatalf("WARC files %v", files)
			}
			v.WARC = files[0]
			want := tc.do(v)
			got := jobtest.Verify(t, folder.Of(&copied, folder.Env{}))
			for i := 0; i < len(want); i += 2 {
				place, what := want[i], regexp.MustCompile(want[i+1])
				place = strings.ReplaceAll(place, "WARC", filepath.Base(v.WARC))
				if !slices.ContainsFunc(got, func(d verify.Defect) bool { return d.Where == place && what.MatchString(d.What) }) {
					t.Errorf("no defect %q at %q", what, place)
				}
			}
			if quick := jobtest.VerifyWith(t, folder.Of(&copied, folder.Env{}), verify.Options{Fast: true}); (len(quick) == 0) != slices.Contains(unseenAtAGlance(), tc.why) {
				t.Errorf("a quick look finds %q", quick)
			}
			if t.Failed() || testing.Verbose() {
				for _, d := range got {
					t.Log(d)
				}
			}
		})
	}
}

type damage struct {
	why string
	do  func(v *jobtest.Victim) (want []string)
}

func damages() []damage {
	return slices.Concat(bytesDamaged(), recordsDamaged(), stateDamaged(), logsDamaged())
}

func at(off int64) string { return fmt.Sprintf("WARC at %d", off) }

func bytesDamaged() []damage {
	return []damage{
		{"a byte flipped within a record", func(v *jobtest.Victim) []string {
			m := v.Members()
			r := m[jobtest.Find(v, m, "response", home)]
			v.File(v.WARC, func(b []byte) []byte { b[r.Off+r.Len/2] ^= 1; return b })
			return []string{at(r.Off), `^(gzip|.*): `, home, "no response record is at"}
		}},
		{"a byte flipped in a gzip header", func(v *jobtest.Victim) []string {
			m := v.Members()
			r := m[jobtest.Find(v, m, "response", page2)]
			v.File(v.WARC, func(b []byte) []byte { b[r.Off] ^= 1; return b })
			return []string{at(r.Off), `: `, page2, "no response record is at"}
		}},
		{"a byte flipped in the checksum of the last record", func(v *jobtest.Victim) []string {
			m := v.Members()
			r := m[len(m)-1]
			v.File(v.WARC, func(b []byte) []byte { b[len(b)-8] ^= 1; return b })
			return []string{at(r.Off), `: `}
		}},
		{"the last byte cut off", func(v *jobtest.Victim) []string {
			m := v.Members()
			v.File(v.WARC, func(b []byte) []byte { return b[:len(b)-1] })
			return []string{"WARC", `has \d+ bytes, \d+ are acknowledged`, at(m[len(m)-1].Off), `: `}
		}},
		{"the last record cut off", func(v *jobtest.Victim) []string {
			m := v.Members()
			last := m[len(m)-1]
			v.File(v.WARC, func(b []byte) []byte { return b[:last.Off] })
			return []string{"WARC", fmt.Sprintf(`has %d bytes, %d are acknowledged`, last.Off, last.Off+last.Len)}
		}},
		{"a record cut out", func(v *jobtest.Victim) []string {
			m := v.Members()
			r := m[jobtest.Find(v, m, "request", home)]
			v.File(v.WARC, func(b []byte) []byte { return slices.Delete(b, int(r.Off), int(r.Off+r.Len)) })
			return []string{"WARC", `has \d+ bytes, \d+ are acknowledged`, home, "no response record is at"}
		}},
		{"a record doubled", func(v *jobtest.Victim) []string {
			m := v.Members()
			r := m[len(m)-1]
			v.File(v.WARC, func(b []byte) []byte { return append(b, r.Data...) })
			return []string{at(r.Off + r.Len), "duplicate|record ID", at(r.Off + r.Len), "belongs to no acknowledged capture"}
		}},
		{"two records exchanged", func(v *jobtest.Victim) []string {
			m := v.Members()
			i := jobtest.Find(v, m, "response", page2)
			a, b := m[i], m[i+1]
			v.File(v.WARC, func(file []byte) []byte {
				copy(file[a.Off:], slices.Concat(b.Data, a.Data))
				return file
			})
			return []string{page2, "no response record is at"}
		}},
		{"bytes that are no record at the end", func(v *jobtest.Victim) []string {
			m := v.Members()
			last := m[len(m)-1]
			v.File(v.WARC, func(b []byte) []byte { return append(b, "rest"...) })
			return []string{at(last.Off + last.Len), `: `, "WARC", `has \d+ bytes, \d+ are acknowledged`}
		}},
		{"the WARC file is missing", func(v *jobtest.Victim) []string {
			jobtest.Must(v, os.Remove(v.WARC))
			return []string{"WARC", "is missing", home, "no response record is at"}
		}},
		{"a foreign WARC file", func(v *jobtest.Victim) []string {
			v.File(v.WARC, func(b []byte) []byte {
				jobtest.Must(v, os.WriteFile(filepath.Join(filepath.Dir(v.WARC), "FOREIGN.warc.gz"), b, 0o644))
				return b
			})
			return []string{"FOREIGN.warc.gz", "the state does not know this file"}
		}},
		{"a complete file renamed to .open", func(v *jobtest.Victim) []string {
			jobtest.Must(v, os.Rename(v.WARC, v.WARC+".open"))
			return []string{"WARC", "is missing", "WARC.open", "the state does not know this file"}
		}},
	}
}

func recordsDamaged() []damage {
	without := func(kind, uri string) func(v *jobtest.Victim) {
		return func(v *jobtest.Victim) {
			v.Rewrite(func(m []jobtest.Member) []jobtest.Member {
				i := jobtest.Find(v, m, kind, uri)
				return slices.Delete(m, i, i+1)
			})
		}
	}
	change := func(v *jobtest.Victim, kind, uri string, fn func(string) string) {
		v.Rewrite(func(m []jobtest.Member) []jobtest.Member {
			i := jobtest.Find(v, m, kind, uri)
			m[i] = jobtest.Edited(v, m[i], fn)
			return m
		})
	}
	header := func(name, value string) func(string) string {
		return func(s string) string {
			return regexp.MustCompile(name+`: [^\r]*`).ReplaceAllLiteralString(s, name+": "+value)
		}
	}
	return []damage{
		{"the DNS record is missing", func(v *jobtest.Victim) []string {
			without("response", "dns:img.b.example")(v)
			return []string{image, "is archived without the DNS record of img.b.example"}
		}},
		{"the robots.txt record is missing", func(v *jobtest.Victim) []string {
			without("response", "http://img.b.example/robots.txt")(v)
			return []string{image, "is archived without the robots.txt of http://img.b.example"}
		}},
		{"DNS dated after the page", func(v *jobtest.Victim) []string {
			change(v, "response", "dns:www.a.example", header("WARC-Date", "2999-01-01T00:00:00Z"))
			return []string{home, `the DNS record of www\.a\.example is dated 2999-01-01T00:00:00\.000Z, after it`}
		}},
		{"robots.txt dated after the page", func(v *jobtest.Victim) []string {
			change(v, "response", "http://www.a.example/robots.txt", header("WARC-Date", "2999-01-01T00:00:00Z"))
			return []string{home, `the robots\.txt of http://www\.a\.example is dated 2999-`}
		}},
		{"another date than the state says", func(v *jobtest.Victim) []string {
			change(v, "response", page2, header("WARC-Date", "2998-01-01T00:00:00Z"))
			return []string{page2, `its record is dated 2998-01-01T00:00:00\.000Z, the state says`}
		}},
		{"the payload digest is wrong", func(v *jobtest.Victim) []string {
			change(v, "response", page2, header("WARC-Payload-Digest", "sha1:"+strings.Repeat("A", 32)))
			m := v.Members()
			return []string{at(m[jobtest.Find(v, m, "response", page2)].Off), `payload.*A{32}`, page2, `its payload digest is sha1:A{32}, the state says`}
		}},
		{"the block is not that of its digest", func(v *jobtest.Victim) []string {
			change(v, "response", image, func(s string) string { return strings.Replace(s, "not really", "yes really", 1) })
			m := v.Members()
			return []string{at(m[jobtest.Find(v, m, "response", image)].Off), `block`}
		}},
		{"another URL in the record", func(v *jobtest.Victim) []string {
			change(v, "response", image, header("WARC-Target-URI", "http://img.b.example/j.png"))
			return []string{image, `its place in the archive holds http://img\.b\.example/j\.png`}
		}},
		{"another ID in the record", func(v *jobtest.Victim) []string {
			change(v, "response", image, header("WARC-Record-ID", "<urn:uuid:00000000-0000-4000-8000-000000000000>"))
			return []string{image, `its record is urn:uuid:00000000-0000-4000-8000-000000000000, the state says urn:uuid:`}
		}},
		{"the response is missing", func(v *jobtest.Victim) []string {
			m := v.Members()
			i := jobtest.Find(v, m, "response", page2)
			start := m[i].Off
			if j := jobtest.Find(v, m, "request", page2); j < i {
				start = m[j].Off
			}
			without("response", page2)(v)
			return []string{at(start), "the capture holds no response", page2, "no response record is at"}
		}},
		{"the metadata is missing", func(v *jobtest.Victim) []string {
			without("metadata", page2)(v)
			return []string{page2, "its metadata record is not at"}
		}},
		{"the warcinfo record is missing", func(v *jobtest.Victim) []string {
			v.Rewrite(func(m []jobtest.Member) []jobtest.Member { return m[1:] })
			return []string{at(0), "does not begin with a warcinfo record"}
		}},
	}
}

func stateDamaged() []damage {
	shift := func(v *jobtest.Victim, url string, by int64) jobtest.Member {
		m := v.Members()
		r := m[jobtest.Find(v, m, "response", url)]
		v.URI(url, func(b []byte) []byte {
			return bytes.Replace(b, []byte(jobtest.Place(r.Off, r.Len)), []byte(jobtest.Place(r.Off+by, r.Len)), 1)
		})
		return r
	}
	captureAt := func(off int64) []byte {
		return binary.BigEndian.AppendUint64([]byte{'c', 0, 0, 0, 1}, uint64(off))
	}
	return []damage{
		{"the place of a response shifted", func(v *jobtest.Victim) []string {
			r := shift(v, home, 1)
			return []string{home, fmt.Sprintf(`no response record is at %d in WARC file 1`, r.Off+1)}
		}},
		{"the payload digest in the state", func(v *jobtest.Victim) []string {
			v.URI(home, func(b []byte) []byte {
				i := bytes.Index(b, []byte("sha1:")) + len("sha1:")
				copy(b[i:], "BBBB")
				return b
			})
			return []string{home, `its payload digest is sha1:.*, the state says sha1:BBBB`}
		}},
		{"the record of an archived URI is gone", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				k, _ := jobtest.URIRow(v, db, image)
				jobtest.Must(v, db.Delete([]byte(k), pebble.Sync))
			})
			return []string{"state", "a capture belongs to URI [0-9a-f.]{33}, which has no record", "state", "the statistics say"}
		}},
		{"the record of a page with links is gone", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				k, _ := jobtest.URIRow(v, db, home)
				jobtest.Must(v, db.Delete([]byte(k), pebble.Sync))
			})
			return []string{"state", "was found on URI .*, which has no record"}
		}},
		{"a capture that nobody claims", func(v *jobtest.Victim) []string {
			m := v.Members()
			r := m[jobtest.Find(v, m, "response", page2)]
			var start int64
			v.State(func(db *pebble.DB) {
				for k := range jobtest.Rows(v, db, 'c') {
					if off := int64(binary.BigEndian.Uint64([]byte(k)[5:])); off <= r.Off && off > start {
						start = off
					}
				}
				jobtest.Must(v, db.Delete(captureAt(start), pebble.Sync))
			})
			return []string{at(r.Off), `response record of http://www\.a\.example/two belongs to no acknowledged capture`,
				at(start), "no capture is acknowledged up to"}
		}},
		{"a capture without bytes", func(v *jobtest.Victim) []string {
			m := v.Members()
			end := m[len(m)-1].Off + m[len(m)-1].Len
			v.State(func(db *pebble.DB) {
				_, val := jobtest.Row(v, db, 'c', "")
				_, n := binary.Uvarint(val[1:])
				jobtest.Set(v, db, captureAt(end), append(binary.AppendUvarint([]byte{val[0]}, uint64(end+9)), val[1+n:]...))
			})
			return []string{at(end), "the capture of 9 bytes holds no record", "WARC", `captures end at \d+, \d+ bytes are acknowledged`}
		}},
		{"captures in a file that the state does not have", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				jobtest.Must(v, db.Delete([]byte{'f', 0, 0, 0, 1}, pebble.Sync))
			})
			return []string{"state", "captures lie in WARC file number 1, which has no row", "WARC", "the state does not know this file"}
		}},
		{"the acknowledged length is wrong", func(v *jobtest.Victim) []string {
			m := v.Members()
			end := uint64(m[len(m)-1].Off + m[len(m)-1].Len)
			v.State(func(db *pebble.DB) {
				v.ReplaceIn(db, 'f', binary.AppendUvarint(nil, end), binary.AppendUvarint(nil, end-1))
			})
			return []string{"WARC", fmt.Sprintf("has %d bytes, %d are acknowledged", end, end-1)}
		}},
		{"a URI waits, but stands in no queue", func(v *jobtest.Victim) []string {
			v.URI(page2, func(b []byte) []byte {
				_, flags := binary.Uvarint(b[1:])
				b[1+flags] = 2
				return b
			})
			return []string{"state", `http://www\.a\.example/two: its state is waiting, in a queue: false`}
		}},
		{"a finished URI in a queue", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				u, _ := jobtest.URIRow(v, db, page2)
				h, _ := jobtest.Row(v, db, 'h', "www.a.example")
				key := append(append([]byte{'q'}, h[1:]...), make([]byte, 9)...)
				jobtest.Set(v, db, key, []byte(u[1:]))
			})
			return []string{"state", `http://www\.a\.example/two: its state is done, in a queue: true`,
				"state", `host www\.a\.example: 0 URIs wait by its row, 1 stand in its queue`}
		}},
		{"a queue holds a URI without record", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				jobtest.Set(v, db, append([]byte{'q'}, make([]byte, 17)...), []byte{0, 0, 0, 0, 0, 0, 0, 7})
			})
			return []string{"state", `the queues hold URI 0{16}\.0{15}7, which has no record`, "state", "queue of host 0000000000000000 has no host row"}
		}},
		{"the number of a host's waiting URIs", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				k, val := jobtest.Row(v, db, 'h', "img.b.example")
				val[2+len("img.b.example")] = 3
				jobtest.Set(v, db, []byte(k), val)
			})
			return []string{"state", `host img\.b\.example: 3 URIs wait by its row, 0 stand in its queue`}
		}},
		{"the statistics", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				val := jobtest.Rows(v, db, 'm')["mstats"]
				val[1] += 2 // one URI more discovered
				jobtest.Set(v, db, []byte("mstats"), val)
			})
			return []string{"state", `^the statistics say .*, the records `}
		}},
		{"robots.txt counts as archived, but no capture brought it", func(v *jobtest.Victim) []string {
			v.State(func(db *pebble.DB) {
				_, val := jobtest.Row(v, db, 'd', "")
				val[1] |= 1
				jobtest.Set(v, db, []byte("drobots:http://other.example"), val)
			})
			return []string{"state", "robots:http://other.example counts as archived, but no capture brought it"}
		}},
	}
}

func logsDamaged() []damage {
	doubled := func(b []byte) []byte {
		l := jobtest.Lines(b)
		return []byte(strings.Join(append(l[:3:3], l[2:]...), "") + "\n")
	}
	removed := func(b []byte) []byte {
		l := jobtest.Lines(b)
		return []byte(strings.Join(slices.Delete(l, 2, 3), "") + "\n")
	}
	log := func(name string, change func([]byte) []byte, want ...string) func(*jobtest.Victim) []string {
		return func(v *jobtest.Victim) []string {
			v.File(v.LogPath(name), change)
			return want
		}
	}
	add := func(line string) func([]byte) []byte {
		return func(b []byte) []byte { return append(b, line+"\n"...) }
	}
	const length = `has \d+ bytes, \d+ are acknowledged`
	return []damage{
		{"a line of crawl.log doubled", log("crawl.log", doubled, "crawl.log", length, "crawl.log", `has \d+ lines, the state counts \d+`, "crawl.log line 4", "logged 2 times, the state counts 1")},
		{"a line of crawl.log removed", log("crawl.log", removed, "crawl.log", length, "crawl.log", `has \d+ lines, \d+ are acknowledged`, "crawl.log", `is logged 0 times, the state counts 1`)},
		{"a line of crawl.log replaced by another", log("crawl.log", func(b []byte) []byte {
			l := jobtest.Lines(b)
			l[2] = l[1]
			return []byte(strings.Join(l, "") + "\n")
		}, "crawl.log line 3", "logged 2 times, the state counts 1")},
		{"a byte flipped in crawl.log", log("crawl.log", func(b []byte) []byte { b[3] ^= 1; return b },
			"crawl.log", `its contents are not those acknowledged \(checksum differs\)`)},
		{"a URL of crawl.log changed", log("crawl.log", func(b []byte) []byte { return bytes.Replace(b, []byte("/two"), []byte("/six"), 1) },
			"crawl.log", `checksum differs`, "crawl.log line 4", "http://www.a.example/six is logged, but the state has not finished it")},
		{"the end of crawl.log cut off", log("crawl.log", func(b []byte) []byte { return b[:len(b)-5] },
			"crawl.log", length, "crawl.log line 8", "is cut off")},
		{"crawl.log is missing", func(v *jobtest.Victim) []string {
			jobtest.Must(v, os.Remove(v.LogPath("crawl.log")))
			return []string{"crawl.log", `is missing; \d+ bytes are acknowledged`}
		}},
		{"a judgement of an unknown URL", log("analysis.jsonl", add(`{"url":"http://nobody.example/"}`),
			"analysis.jsonl", length, "analysis.jsonl line 4", "http://nobody.example/ is logged, but the state has not finished it")},
		{"garbage in out-of-scope.jsonl", log("out-of-scope.jsonl", add(`{"url":`),
			"out-of-scope.jsonl", length, "out-of-scope.jsonl line 2", "is not a JSON object with a url")},
	}
}
