// Package ftpweb is an FTP server on loopback, for tests: the files that it is given, read-only.
// The server is one of others (ftpserverlib); here are only its files and accounts.
package ftpweb

import (
	"crypto/tls"
	"errors"
	"net"
	"path"
	"sync"

	ftpserver "github.com/fclairamb/ftpserverlib"
	"github.com/spf13/afero"
)

// Options say who may log in, and how the server behaves.
type Options struct {
	// User and Password are those of the only account; "" lets in "anonymous" with any password.
	User, Password string
	// PublicHost is the address that it names for data connections; "" is its own.
	PublicHost string
}

// Server is one that runs.
type Server struct {
	ftp  *ftpserver.FtpServer
	done sync.WaitGroup
	err  error
}

// Start serves files, by their absolute paths. A path with a slash at its end is a directory.
func Start(files map[string]string, o Options) (*Server, error) {
	mem := afero.NewMemMapFs()
	for name, content := range files {
		if err := mem.MkdirAll(path.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if name[len(name)-1] == '/' {
			continue
		}
		if err := afero.WriteFile(mem, name, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{ftp: ftpserver.NewFtpServer(&driver{files: afero.NewReadOnlyFs(mem), o: o, l: l})}
	if err := s.ftp.Listen(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s.done.Go(func() { s.err = s.ftp.Serve() })
	return s, nil
}

// Addr returns where it listens, "127.0.0.1:port".
func (s *Server) Addr() string { return s.ftp.Addr() }

// Close stops it.
func (s *Server) Close() error {
	err := s.ftp.Stop()
	s.done.Wait()
	return errors.Join(err, s.err)
}

type driver struct {
	files afero.Fs
	o     Options
	l     net.Listener
}

func (d *driver) GetSettings() (*ftpserver.Settings, error) {
	return &ftpserver.Settings{Listener: d.l, PublicHost: d.o.PublicHost, Banner: "files for tests", DisableActiveMode: true}, nil
}

func (d *driver) ClientConnected(ftpserver.ClientContext) (string, error) { return "welcome", nil }
func (d *driver) ClientDisconnected(ftpserver.ClientContext)              {}
func (d *driver) GetTLSConfig() (*tls.Config, error)                      { return nil, errors.New("there is no TLS") }

func (d *driver) AuthUser(_ ftpserver.ClientContext, user, password string) (ftpserver.ClientDriver, error) {
	if d.o.User == "" && user != "anonymous" || d.o.User != "" && (user != d.o.User || password != d.o.Password) {
		return nil, errors.New("who are you, with the password " + password + "?")
	}
	return d.files, nil
}
