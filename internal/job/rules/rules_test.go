package rules

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"exclave/config"
	"exclave/internal/sheet"
)

// An address is none of this machine when the system says so, and nothing is said when there was no room to try it.
func TestNoAddress(t *testing.T) {
	of := func(e syscall.Errno) error {
		return &net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", e)}
	}
	for e, want := range map[syscall.Errno]string{
		syscall.EADDRNOTAVAIL: "which is none of this machine: listen", syscall.EACCES: "from this address: listen", syscall.EMFILE: "", syscall.ENFILE: "",
	} {
		err := noAddress("192.0.2.1", of(e))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", e, err, want)
		}
	}
	if err := hasAddress("127.0.0.1"); err != nil {
		t.Error(err)
	}
}

// The budgets of a host are those of the sheet for it, key by key, also of one that is an address.
func TestHostLimits(t *testing.T) {
	set, ps := sheet.Read([]sheet.Text{{Name: "a.toml", Data: []byte("[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\", \"::1\"]\nlimits.host_bytes = 5\n[[sheet]]\nname = \"b\"\ndomains = [\"b.cz\"]\nlimits.host_documents = 6\n" +
		"[[sheet]]\nname = \"ftp\"\nsurts = [\"ftp://(cz,files,)/\", \"ftp://(cz,b,ftp,\"]\nlimits.host_documents = 7\n[[sheet]]\nname = \"whois\"\nsurts = [\"whois://(cz,b,ftp,\"]\nlimits.host_bytes = 8\n" +
		"[[sheet]]\nname = \"wider\"\nsurts = [\"ftp://(cz,a,\"]\nlimits.host_bytes = 9\n")}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	cfg := config.Default("cz")
	cfg.Limits.HostDocuments, cfg.Limits.HostBytes = 1, 2
	limits := HostLimits(cfg, sheet.NewLive(set))
	for host, want := range map[string][2]int64{"a.cz": {1, 5}, "::1": {1, 5}, "::2": {1, 2}, "www.b.cz": {6, 2}, "c.cz": {1, 2},
		"files.cz": {7, 2}, "ftp.b.cz": {7, 8}, "x.a.cz": {1, 9}} { // a host has one budget, whatever the scheme
		if l := limits(host); l.HostDocuments != want[0] || l.HostBytes != want[1] {
			t.Errorf("%s: %d documents, %d bytes", host, l.HostDocuments, l.HostBytes)
		}
	}
}

// A reload asks for addresses only that are not in force: an interface that is down for a while keeps no sheet from being read.
func TestMoreSourceAddresses(t *testing.T) {
	read := func(address string) *sheet.Set {
		set, ps := sheet.Read([]sheet.Text{{Name: "a.toml", Data: []byte("[[sheet]]\nname = \"a\"\nhosts = [\"a.cz\"]\nhttp.source_address = \"" + address + "\"\n")}}, nil)
		if len(ps) > 0 {
			t.Fatal(ps)
		}
		return set
	}
	cfg := config.Default("cz")
	cfg.HTTP.SourceAddress = "192.0.2.1"
	now := read("192.0.2.2")
	for address, problems := range map[string]int{"192.0.2.1": 0, "192.0.2.2": 0, "192.0.2.3": 1, "127.0.0.1": 0} {
		if ps := MoreSourceAddresses(cfg, now, read(address)); len(ps) != problems {
			t.Errorf("%s: %v", address, ps)
		}
	}
}
