package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/internal/fsx"
)

// elsewhere are the codes that other tests see, since they need a running crawl, a terminal, a web or a signal.
func elsewhere() map[string]map[int]string {
	return map[string]map[int]string{
		"bench":   {1: "TestScripts/bench", 3: "a failure of the machine"},
		"crawl":   {130: "TestSecondSignalAndLock"},
		"demo":    {0: "TestScripts/demo", 1: "it would be a defect of the program", 130: "TestSecondSignalAndLock: the same code"},
		"divide":  {0: "TestWebScripts/crawl", 130: "TestDivideSignal"},
		"moved":   {0: "TestMoved of internal/job"},
		"pause":   {0: "TestControl", 3: "TestReaders"},
		"label":   {130: "TestLabelEndedBySignal"},
		"recover": {0: "TestRecover", 3: "a failure of the machine", 130: "TestSecondSignalAndLock: the same code"},
		"reload":  {0: "TestControl", 3: "TestReaders: the same code"},
		"resume":  {0: "TestControl", 3: "TestReaders: the same code"},
		"retry":   {0: "TestWebScripts/retry"},
		"recrawl": {0: "TestWebScripts/recrawl"},
		"seeds":   {130: "untilInterrupted: TestSignalStops"},
		"stop":    {0: "TestControl", 3: "TestControl"},
		"store":   {1: "TestStoreVerb", 130: "TestStoreVerb"},
		"verify":  {1: "TestWebScripts/crawl", 130: "TestVerifySignal"},
		"cdx":     {130: "TestWARCInterrupted"},
		"dedup":   {130: "TestWARCInterrupted"},
		"pywb":    {130: "TestWARCInterrupted"},
		"wacz":    {130: "TestWACZSignal"},
		"warc":    {130: "TestWARCInterrupted"},
		"watch":   {0: "TestWatch", 3: "TestReaders: the same code"},
	}
}

// Every code that docs/howto/exit-codes.md promises of a verb is what the verb ends with (issue 16).
func TestExitCodes(t *testing.T) {
	promised := documented(t)
	t.Chdir(t.TempDir())
	newJob(t, "job", `{"url":"http://b.example/x","source":"s"}`+"\n")
	newJob(t, "fresh", "")
	newJob(t, "empty", "")
	write(t, "empty/seeds.txt", "# nothing\n")
	if err := os.Mkdir("job/sheets", 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, "job/sheets/a.toml", "[[sheet]]\nname = \"a\"\nhosts = [\"b.example\"]\nblocked = true\n[[sheet]]\nname = \"b\"\nprofiles = [\"cz\"]\nmax_hops = 3\n")
	for _, name := range []string{"locked", "broken"} {
		if err := os.CopyFS(name, os.DirFS("job")); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := fsx.Real().Lock("locked/state/job.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	files, err := filepath.Glob("broken/state/frontier/MANIFEST-*")
	if err != nil || len(files) == 0 {
		t.Fatal("no manifest: ", err)
	}
	for _, f := range files {
		write(t, f, "no manifest")
	}
	write(t, "wrong/job.toml", "x")
	write(t, "own.toml", "[profile]\nname = \"own\"\nmin_points = 1\n[[searcher]]\nkind = \"html_lang\"\npattern = \"^cs\"\npoints = 1\n")
	write(t, "cs.html", "<html lang=cs><p>x</p>")
	write(t, "en.html", "<html lang=en><p>x</p>")
	write(t, "weighed.toml", "[profile]\nname = \"own\"\nmin_points = 1\n[[searcher]]\nkind = \"html_lang\"\npattern = \"^cs\"\npoints = 1\n"+
		"[probability]\nbias = 0\nmin = 0.5\n[[probability.term]]\nof = \"html_lang\"\nvalue = \"valid\"\nweight = 1\n")
	const belongs, other = `{"url":"http://%.example/","html":"<html lang=cs><p>x","nations":["own"]}`, `{"url":"http://%.example/","html":"<p>x","nations":[]}`
	for name, lines := range map[string][]string{"told.jsonl": {belongs, other}, "untold.jsonl": {other, strings.Replace(belongs, "=cs", "=en", 1)}} {
		var b strings.Builder
		for i := range 12 {
			b.WriteString(strings.Replace(lines[i%2], "%", string(rune('a'+i)), 1) + "\n")
		}
		write(t, name, b.String())
	}
	newJob(t, "judged", "")
	write(t, "judged/logs/analysis.jsonl", `{"url":"http://a.example/","verdicts":[{"profile":"own","judged":true,"valid":true,"points":1,"min":1,"by":[{"searcher":"html_lang","found":1,"valid":1,"distinct":1}]}]}`+"\n")
	write(t, "list.txt", "http://h.example/\n")
	write(t, "none.txt", "# nothing\n")
	write(t, "robots.txt", "User-agent: *\nDisallow: /x\n")
	write(t, "ranges.txt", "10.0.0.0/8,cz\n")
	write(t, "a.xz", "\xfd7zXZ\x00abc")
	write(t, "bad.properties", "WebAnalyzer.searcher.email.point=x\n")
	write(t, "file", "x")
	write(t, "set.jsonl", `{"url":"http://a.example/","html":"<html lang=cs><p>x","nations":["own"]}`+"\n")
	write(t, "words.tsv", "hello\t1\nworld\t2\n")
	write(t, "czech.txt", "protože když který\n")
	write(t, "one.warc", "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx\r\n\r\n")
	write(t, "one.cdxj", `example,a)/ 20240102030405 {"url": "http://a.example/", "status": "200", "digest": "2222222222222222222222222222222A"}`+"\n")
	write(t, "bad.cdxj", "x\n")
	write(t, "cracked/00000001.seg", "x")
	// What cannot be written, also by root.
	const sealed = "/proc/nowhere/x"
	ended := map[string]map[int]bool{}
	for _, c := range []struct {
		code int
		line string
	}{
		{0, "analyze --profile own.toml cs.html"}, {1, "analyze --profile own.toml en.html"}, {2, "analyze missing"}, {2, "analyze --profile missing cs.html"},
		{0, "bench seeds-log --lines 3"}, {2, "bench --hosts 0"},
		{0, "calibrate --profile weighed.toml told.jsonl --folds 2 -o fitted.toml"}, {1, "calibrate --profile weighed.toml untold.jsonl --folds 2"},
		{2, "calibrate --profile own.toml told.jsonl"}, {2, "calibrate --profile weighed.toml set.jsonl"}, {3, "calibrate --profile weighed.toml told.jsonl --folds 2 -o " + sealed},
		{0, "check job"}, {0, "check locked"}, {2, "check wrong"}, {2, "check empty"}, {2, "check nowhere"}, {3, "check broken"},
		{0, "cdx one.warc"}, {1, "cdx file"}, {2, "cdx missing"}, {2, "cdx --format x one.warc"}, {2, "cdx one.warc -o one.warc"}, {2, "cdx empty"}, {3, "cdx one.warc -o " + sealed + "/x"},
		{0, "checkpoint --name a job"}, {0, "checkpoint list job"}, {0, "checkpoint restore job/checkpoints/a restored"}, {1, "checkpoint list fresh"}, {2, "checkpoint --name a job"},
		{2, "checkpoint fresh"}, {2, "checkpoint wrong"}, {2, "checkpoint restore job restored2"}, {2, "checkpoint restore job/checkpoints/a job"}, {3, "checkpoint broken"}, {4, "checkpoint locked"},
		{0, "crawl --quiet empty"}, {2, "crawl wrong"}, {2, "crawl nowhere"}, {3, "crawl --quiet broken"}, {4, "crawl --quiet locked"},
		{0, "dedup build index one.cdxj"}, {0, "dedup info index"}, {0, "dedup lookup index 2222222222222222222222222222222A"}, {1, "dedup build index2 file"}, {1, "dedup lookup index 2222222222222222222222222222222B"},
		{2, "dedup build index missing"}, {2, "dedup build index bad.cdxj"}, {2, "dedup info empty"}, {2, "dedup info cracked"}, {2, "dedup lookup index x"}, {3, "dedup build " + sealed + " one.cdxj"},
		{2, "demo --dir job"}, {3, "demo --dir " + sealed},
		{1, "divide job -o parts"}, {1, "divide fresh -o parts"}, {2, "divide job -o job"}, {2, "divide wrong -o parts"}, {3, "divide broken -o parts"}, {4, "divide locked -o parts"},
		{0, "eval --profile own.toml set.jsonl"}, {2, "eval --profile cz set.jsonl --nation sk --split dev"}, {2, "eval missing.jsonl"}, {2, "eval --profile missing set.jsonl"},
		{0, "dict build -o words.txt none.txt list:words.tsv"}, {0, "dict info cs words.txt"}, {0, "dict check cs words.tsv"}, {1, "dict check --hits 1 cs czech.txt"}, {2, "dict check missing.txt words.tsv"},
		{2, "dict build -o words.txt none.txt"}, {2, "dict build -o words.txt missing"}, {2, "dict info xx"}, {3, "dict build -o " + sealed + " list:words.tsv"},
		{0, "frontier job"}, {0, "frontier show job b.example"}, {0, "frontier list job"}, {0, "frontier export job"}, {0, "frontier delete --dry-run --host b.example job"},
		{1, "frontier fresh"}, {1, "frontier show job nobody.example"}, {1, "frontier delete --host nobody.example job"}, {2, "frontier delete job"}, {2, "frontier list --regex ( job"},
		{2, "frontier wrong"}, {2, "frontier --top -1 job"}, {3, "frontier broken"}, {3, "frontier export --out " + sealed + " job"}, {4, "frontier locked"}, {4, "frontier delete --host b.example locked"},
		{0, "geoip build --out db.mmdb ranges.txt"}, {0, "geoip lookup db.mmdb 10.1.1.1"}, {0, "geoip export db.mmdb"}, {1, "geoip lookup db.mmdb 11.1.1.1"}, {2, "geoip lookup missing 10.1.1.1"},
		{2, "geoip build --out db2.mmdb none.txt"}, {2, "geoip export file"}, {3, "geoip build --out " + sealed + " ranges.txt"},
		{0, "init made --profile cz"}, {2, "init job --profile cz"}, {2, "init made2 --profile xx"}, {2, "init file --profile cz"}, {3, "init " + sealed + " --profile cz"},
		{0, "label judged -o labels.jsonl"}, {1, "label job"}, {2, "label judged --profile cz"}, {2, "label wrong"}, {3, "label judged -o " + sealed},
		{0, "extract --text cs.html"}, {1, "extract cs.html"}, {2, "extract missing"}, {2, "extract --base x cs.html"}, {2, "extract --text --json cs.html"},
		{0, "lang cs.html"}, {2, "lang missing"},
		{1, "moved job"}, {2, "moved job missing"}, {2, "moved wrong"}, {3, "moved broken"}, {4, "moved locked"},
		{1, "pause job"}, {2, "pause"}, {1, "resume job"}, {2, "resume"}, {1, "reload job"}, {2, "reload"}, {0, "sheet job http://b.example/"}, {1, "sheet fresh http://b.example/"}, {0, "sheet --profile cz job http://c.example/"}, {1, "sheet job http://c.example/"}, {2, "sheet job"}, {2, "sheet job x"},
		{2, "sheet --profile sk job http://b.example/"}, {3, "sheet broken http://b.example/"}, {4, "sheet locked http://b.example/"}, {1, "stop job"}, {2, "stop --timeout -1s job"}, {1, "watch job"}, {2, "watch"},
		{0, "profile import none.txt"}, {0, "profile show cz"}, {0, "profile new ee"}, {2, "profile new eesti"}, {2, "profile import bad.properties"}, {2, "profile import missing"}, {2, "profile show xx"}, {3, "profile import -o " + sealed + " none.txt"},
		{0, "pywb one.warc -o replay"}, {1, "pywb file -o replay2"}, {2, "pywb missing -o replay2"}, {2, "pywb one.warc -o replay"}, {2, "pywb one.warc one.warc ./one.warc -o replay2"}, {2, "pywb one.warc --collection a/b -o replay2"},
		{3, "pywb one.warc -o " + sealed},
		{2, "recover fresh"}, {2, "recover wrong"}, {4, "recover locked"},
		{0, "report job"}, {0, "report --all job"}, {1, "report job threads"}, {2, "report job x"}, {2, "report wrong"}, {3, "report fresh"}, {3, "report broken"}, {3, "report --out " + sealed + " job"}, {4, "report locked"},
		{0, "rescore judged --profile own.toml"}, {1, "rescore job --profile own.toml"}, {2, "rescore judged --profile weighed.toml --from cz"}, {2, "rescore judged --profile missing"}, {2, "rescore wrong --profile cz"},
		{3, "rescore judged --profile own.toml --archive-list " + sealed},
		{1, "recrawl job"}, {2, "recrawl --verdict good job"}, {2, "recrawl wrong"}, {3, "recrawl broken"}, {4, "recrawl locked"},
		{1, "retry job"}, {2, "retry --regex ( job"}, {2, "retry wrong"}, {3, "retry broken"}, {4, "retry locked"},
		{0, "robots robots.txt /y http://b.example/y"}, {1, "robots robots.txt /x"}, {1, "robots job http://b.example/x"}, {1, "robots fresh http://b.example/x"}, {2, "robots robots.txt"}, {2, "robots robots.txt x"}, {2, "robots missing /x"},
		{2, "robots job x"}, {2, "robots job gopher://b.example/"}, {2, "robots wrong http://b.example/"}, {3, "robots broken http://b.example/"}, {4, "robots locked http://b.example/"},
		{0, "seeds inspect list.txt"}, {0, "seeds import job list.txt"}, {0, "seeds rank --tld cz list.txt"}, {0, "seeds split --into split --parts 1 --profile cz list.txt"},
		{1, "seeds inspect none.txt"}, {1, "seeds import job list.txt"}, {1, "seeds rank --tld cz none.txt"}, {1, "seeds split --into split2 --parts 1 --profile cz none.txt"},
		{2, "seeds inspect a.xz"}, {2, "seeds inspect missing"}, {2, "seeds import job a.xz"}, {2, "seeds import wrong list.txt"}, {2, "seeds rank --tld cz a.xz"}, {2, "seeds split --into split --parts 1 --profile cz list.txt"},
		{2, "seeds"}, {3, "seeds rank --tld cz --temp " + sealed + " list.txt"}, {3, "seeds import broken list.txt"}, {4, "seeds import locked list.txt"},
		{0, "show job http://b.example/x"}, {1, "show job http://c.example/"}, {1, "show fresh http://c.example/"}, {2, "show job x"}, {2, "show job gopher://c.example/"}, {2, "show wrong http://c.example/"}, {3, "show broken http://c.example/"}, {4, "show locked http://c.example/"},
		{0, "store job --to other"}, {0, "store job --list"}, {1, "store fresh --to other"}, {2, "store job"}, {2, "store job --to ftp://x"}, {2, "store job --to s3://b --credentials missing"}, {2, "store wrong --to other"}, {3, "store broken --to other"}, {4, "store locked --to other"},
		{0, "url http://a.example/"}, {2, "url gopher://a.example/"}, {2, "url x"}, {2, "url http://a.example/ x"}, {2, "url --job wrong http://a.example/"},
		{0, "verify job"}, {2, "verify wrong"}, {3, "verify fresh"}, {3, "verify broken"}, {4, "verify locked"},
		{0, "version"}, {2, "version x"},
		{0, "wacz one.warc -o one.wacz"}, {1, "wacz job -o x.wacz"}, {1, "wacz file -o x.wacz"}, {1, "wacz fresh -o x.wacz"}, {2, "wacz missing -o x.wacz"}, {2, "wacz one.warc -o one.wacz"},
		{2, "wacz one.warc -o x.wacz --profile cz"}, {2, "wacz wrong -o x.wacz"}, {2, "wacz job -o x.wacz --profile xx"}, {3, "wacz one.warc -o " + sealed}, {3, "wacz broken -o x.wacz"}, {4, "wacz locked -o x.wacz"},
		{0, "warc ls one.warc"}, {0, "warc check one.warc"}, {0, "warc repair one.warc -o whole.warc"}, {1, "warc check file"}, {1, "warc cat one.warc --offset 5"}, {1, "warc merge file -o merged.warc"}, {1, "warc repair file -o merged.warc"},
		{2, "warc ls missing"}, {2, "warc merge one.warc -o one.warc"}, {2, "warc split one.warc -o x"}, {3, "warc recompress one.warc -o " + sealed},
		{0, "why empty"}, {0, "why job http://b.example/x"}, {1, "why fresh"}, {1, "why fresh http://b.example/x"}, {1, "why job http://c.example/"}, {2, "why job x"}, {2, "why wrong"}, {3, "why broken"}, {4, "why locked"}, {4, "why locked http://b.example/x"},
	} {
		args := strings.Fields(c.line)
		code, stdout, stderr := inside("", args...)
		if code != c.code {
			t.Errorf("%s: exit code %d, not %d\n%s%s", c.line, code, c.code, stdout, stderr)
		}
		if code > 1 && stdout+stderr == "" || code == 3 && !strings.HasPrefix(stderr, "exclave: ") && !strings.Contains(stderr, "\nexclave: ") {
			t.Errorf("%s: exit code %d, and nobody says why", c.line, code)
		}
		if ended[args[0]] == nil {
			ended[args[0]] = map[int]bool{}
		}
		ended[args[0]][c.code] = true
	}
	others := elsewhere()
	for verb, codes := range promised {
		for _, code := range codes {
			if !ended[verb][code] && others[verb][code] == "" {
				t.Errorf("%s: nothing shows the exit code %d", verb, code)
			}
		}
		for _, code := range slices.Sorted(maps.Keys(ended[verb])) {
			if !slices.Contains(codes, code) {
				t.Errorf("%s: the exit code %d is not documented", verb, code)
			}
		}
	}
}
