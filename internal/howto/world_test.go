package howto_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/internal/testweb/demoweb"
)

// world is what all pages have in common: the program and the web.
type world struct {
	root string   // of the checkout
	bin  string   // the folder with exclave
	env  []string // of every command
	held chan struct{}
	made string // the folder with what setup.sh makes, of which each page has a copy; "" = not yet made
}

// slow is an address whose answer does not come as long as the test lasts.
const slow = "http://slow.example.com/"

func newWorld(t *testing.T, root string) *world {
	w := &world{root: root, bin: t.TempDir(), held: make(chan struct{}, 1)}
	build(t, root, w.bin)
	done := make(chan struct{})
	srv, err := testweb.Start(testweb.Join(testweb.Tiny{
		"http://www.example.com/":             testweb.NationalPage(1, "/broken", "http://www.example.cz/", "https://example.org/page"),
		"http://www.example.com/page":         testweb.NationalPage(2, "/"),
		"http://www.example.com/report.pdf":   testweb.PDF("Report"),
		"http://www.example.com/broken":       {Raw: "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"},
		"http://calendar.example.com/2026/11": testweb.NationalPage(3, "/2026/12"),
		"http://calendar.example.com/2026/12": testweb.NationalPage(4),
		"https://example.org/page":            testweb.NationalPage(5),
	}, testweb.Func(func(name string) http.Handler {
		if name != "slow.example.com" {
			return nil
		}
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/" {
				http.NotFound(rw, r)
				return
			}
			select {
			case w.held <- struct{}{}:
			default:
			}
			select {
			case <-done:
			case <-r.Context().Done():
			}
		})
	}), demoweb.Web()), testweb.Options{})
	must(t, err)
	t.Cleanup(func() {
		close(done)
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	ca := filepath.Join(w.bin, "ca.pem")
	must(t, srv.WriteCA(ca))
	var connect []string
	for from, to := range srv.ConnectTo() {
		connect = append(connect, fmt.Sprintf("%q = %q", from, to))
	}
	slices.Sort(connect)
	w.env = append(os.Environ(), "PATH="+w.bin+":"+os.Getenv("PATH"),
		"EDITOR="+filepath.Join(root, "internal", "howto", "testdata", "editor.sh"),
		"CONNECT_TO={ "+strings.Join(connect, ", ")+" }", "DNS="+srv.DNS(), "CA="+ca)
	return w
}

// build makes exclave of the checkout at root, in the folder bin, of what go test has compiled.
func build(t *testing.T, root, bin string, flags ...string) {
	t.Helper()
	must(t, sharedtest.Build(root, "./cmd/exclave", filepath.Join(bin, "exclave"), flags...))
}

// scene is where the commands of a page are run.
type scene struct {
	*world
	dir, tmp string
	// crawls says that the page is about a crawl that runs: one does beside each block.
	crawls bool
	crawl  chan struct{} // closed when it has ended; nil: none was begun
	kill   func()        // ends it

	overlay map[string]string // of files of the checkout, what a recipe puts in their place
}

// newScene makes what the page may suppose to be there. README.md and first-job.md begin
// with nothing; what is about the code itself is followed in a checkout.
func (w *world) newScene(t *testing.T, page string) *scene {
	s := &scene{world: w, dir: t.TempDir(), tmp: t.TempDir(), crawls: page == "control"}
	switch page {
	case "README", "word-lists", "new-processor", "new-searcher":
		s.checkout(t)
	}
	t.Cleanup(func() {
		if s.kill != nil {
			s.kill()
		}
	})
	if w.made == "" {
		setup, err := os.ReadFile(filepath.Join(w.root, "internal", "howto", "testdata", "setup.sh"))
		must(t, err)
		dir, err := os.MkdirTemp(w.bin, "made-")
		must(t, err)
		made := &scene{world: w, dir: dir, tmp: s.tmp}
		if out, err := made.bash(t, string(setup)); err != nil {
			t.Fatalf("setup: %v\n%s", err, out)
		}
		w.made = made.dir
	}
	if out, err := s.bash(t, "cp -a '"+w.made+"/.' ."); err != nil {
		t.Fatalf("setup: %v\n%s", err, out)
	}
	if page == "README" || page == "first-job" { // they make it themselves
		must(t, os.RemoveAll(filepath.Join(s.dir, "my-job")))
	}
	return s
}

// checkout links what the go command needs of the checkout into the folder of the scene.
// What else lies about there is not to be changed by the commands of a page. The packages in it are those of a module of
// its own, which takes all others from where they are: with another path, each would be compiled anew in each run.
func (s *scene) checkout(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "./...")
	list.Dir = s.root
	out, err := list.Output()
	must(t, err)
	mod, err := os.ReadFile(filepath.Join(s.root, "go.mod"))
	must(t, err)
	own, ok := strings.CutPrefix(string(mod), "module exclave\n")
	if !ok {
		t.Fatal("go.mod does not begin with module exclave")
	}
	must(t, os.WriteFile(filepath.Join(s.dir, "go.mod"), []byte("module exclave/scene\n"+own+"\nrequire exclave v0.0.0\n\nreplace exclave => "+strconv.Quote(s.root)+"\n"), 0o644))
	links := map[string]bool{"go.sum": true}
	for _, pkg := range strings.Fields(string(out)) {
		if parts := strings.Split(pkg, "/"); len(parts) > 1 {
			links[parts[1]] = true
		}
	}
	for name := range links {
		must(t, os.Symlink(filepath.Join(s.root, name), filepath.Join(s.dir, name)))
	}
}

// need ends the test when the block wants a program that is not here, and puts those that
// CI keeps elsewhere where the page has them.
func (s *scene) need(t *testing.T, text string) {
	link := func(target, name string) {
		name = filepath.Join(s.dir, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		_ = os.Remove(name) // it may be there from the block before
		must(t, os.Symlink(target, name))
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \n;|&()", r) }) {
		switch {
		case word == "warcio/bin/warcio":
			link(sharedtest.Warcio(t), word)
		case word == "wacz/bin/wacz":
			link(sharedtest.Wacz(t), word)
		case strings.HasSuffix(word, ".jar"):
			sharedtest.Jwarc(t)
			link(os.Getenv("EXCLAVE_JWARC"), word)
		case strings.HasPrefix(word, "../pywb/bin/"):
			command := filepath.Base(word)
			link(sharedtest.Pywb(t, command), filepath.Join("pywb", "bin", command))
		case word == "curl" || word == "jq":
			installed(t, word)
		case word == "zstdcat" || strings.HasSuffix(word, ".zst"):
			installed(t, "zstd")
		}
	}
}

func installed(t *testing.T, command string) {
	t.Helper()
	if _, err := exec.LookPath(command); err != nil {
		sharedtest.Missing(t, "no "+command)
	}
}

// accompany sees to it that a crawl runs, on a page about one.
func (s *scene) accompany(t *testing.T) {
	if !s.crawls {
		return
	}
	if s.crawl != nil {
		select {
		case <-s.crawl:
		default:
			return
		}
	} else if out, err := s.bash(t, "echo "+slow+" | exclave seeds import my-job -"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for len(s.held) > 0 {
		<-s.held
	}
	cmd := exec.Command(filepath.Join(s.bin, "exclave"), "crawl", "--quiet", "my-job")
	cmd.Dir, cmd.Env = s.dir, s.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ended is for the page to show
	}()
	s.crawl, s.kill = ended, func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
	}
	late := time.AfterFunc(patience, s.kill)
	defer late.Stop()
	select {
	case <-s.held:
	case <-ended:
		t.Fatal("the crawl has ended, or did not ask for what it should wait for")
	}
}

// homely fails when a job was crawled that does not ask the name server of the test: it
// would have asked the internet.
func (s *scene) homely(t *testing.T) {
	crawled, err := filepath.Glob(filepath.Join(s.dir, "*", "state"))
	must(t, err)
	more, err := filepath.Glob(filepath.Join(s.dir, "*", "*", "state"))
	must(t, err)
	server := ""
	for _, e := range s.env {
		if v, ok := strings.CutPrefix(e, "DNS="); ok {
			server = v
		}
	}
	for _, state := range append(crawled, more...) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(state), "job.toml"))
		if err != nil || !strings.Contains(string(text), server) {
			t.Errorf("%s was crawled, or would have been, beyond this machine (%v)", filepath.Dir(state), err)
		}
	}
}
