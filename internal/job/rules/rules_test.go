package rules

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
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
