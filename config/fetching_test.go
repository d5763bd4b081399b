package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"exclave/chain/standard"
	"exclave/internal/conf"
	"exclave/internal/sheet"
)

var rewritePage = flag.Bool("rewrite-fetching", false, "write docs/fetching.md instead of comparing it")

// TestFetchingPage compares docs/fetching.md with the settings and the processors of today.
func TestFetchingPage(t *testing.T) {
	const path = "../docs/fetching.md"
	page := fetchingPage()
	if *rewritePage {
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(old, page) {
		t.Error("docs/fetching.md is not what the code gives; write it with: go test ./config -run TestFetchingPage -rewrite-fetching")
	}
}

// bySheet are the keys that a sheet may set, too: "http.timeout".
func bySheet() map[string]bool {
	out := map[string]bool{}
	var walk func(path string, t reflect.Type)
	walk = func(path string, t reflect.Type) {
		for _, f := range conf.Fields(reflect.New(t).Elem()) {
			key := path + f.Key
			if f.Value.Kind() == reflect.Struct {
				walk(key+".", f.Value.Type())
				continue
			}
			out[key] = true
		}
	}
	walk("", reflect.TypeFor[sheet.Settings]())
	return out
}

func fetchingPage() []byte {
	var w bytes.Buffer
	w.WriteString(`# How URLs are fetched

Written from the code:

    go test ./config -run TestFetchingPage -rewrite-fetching

## Steps

Every URL passes these, in this order; the chains are Heritrix's. ` + "`[[chain.NAME]]`" + ` in job.toml takes steps out, gives them rules and options, or orders
them anew.

| chain | step | what it does |
| --- | --- | --- |
`)
	cell := func(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`) }
	for _, k := range standard.Kinds() {
		fmt.Fprintf(&w, "| %s | `%s` | %s |\n", k.Chain, k.Kind, cell(k.Doc))
	}
	sheets, texts := bySheet(), comments()
	w.WriteString("\n## Settings\n\nWith the value of a new job. Those with a sign can be set for some hosts by a [sheet](howto/sheets.md).\n")
	for _, f := range conf.Fields(reflect.ValueOf(Default("cz")).Elem()) {
		switch f.Key {
		case "http", "robots", "sitemaps", "dns", "frontier", "limits":
		default:
			continue
		}
		fmt.Fprintf(&w, "\n### [%s]\n\n| key | value | sheet | what it is |\n| --- | --- | --- | --- |\n", f.Key)
		for _, k := range conf.Fields(f.Value) {
			key, sign := conf.Join(f.Key, k.Key), ""
			if sheets[key] {
				sign = "✓"
			}
			fmt.Fprintf(&w, "| `%s` | `%s` | %s | %s |\n", k.Key, cell(conf.Literal(k.Value)), sign, cell(texts[key]))
		}
	}
	w.WriteString("\n### Only in sheets\n\n")
	for _, f := range conf.Fields(reflect.ValueOf(&sheet.Settings{}).Elem()) {
		if f.Value.Kind() != reflect.Struct {
			fmt.Fprintf(&w, "* `%s`\n", f.Key)
		}
	}
	w.WriteString(`
## Old servers

* TLS from 1.0 on, with all that Go's crypto/tls has: exchange of keys by RSA, CBC, 3DES, RC4, signatures with SHA-1, keys of any length up to 16,384 bits. Any certificate will do (as Heritrix's
  trust level *open*), unless ` + "`certificates = \"verify\"`" + `; crawl.log has what is wrong with it: ` + "`tls:untrusted`, `tls:expired`, `tls:hostname`, `tls:invalid`" + `. Servers that speak nothing but SSL 3 or
  finite-field Diffie-Hellman (` + "`DHE-…`" + `), which Go does not have, end with −2 and ` + "`tls:failed`" + `.
* An answer without status line (HTTP/0.9) is 200 with all its bytes as its body, annotated ` + "`http09`" + `, and a ` + "`resource`" + ` record in the archive ([why](adr/0049-http-client.md)).

## More

[Sheets](howto/sheets.md), [robots.txt and what pages say](howto/robots.md), [sitemaps](howto/sitemaps.md), [cookies and passwords](howto/login.md);
[what is taken from documents](extraction.md). Why there is no HTTP/2: [ADR 105](adr/0105-routes-and-rates.md).
`)
	return w.Bytes()
}
