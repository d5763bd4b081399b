package job_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/frontier"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/rebuild"
	"exclave/internal/job/view"
)

const changeable = `[profile]
name = "x"
min_points = 50
depth = 1

[[searcher]]
kind = "dictionary"
list = "./words.txt"
points = 10
cap = 100

[[searcher]]
kind = "email"
pattern = '\.cz$'
points = 35
`

// TestChangedProfile: what a begun job judges by is refused when it is another, with the name
// of what changed; what does not make a page valid may change.
func TestChangedProfile(t *testing.T) {
	t.Parallel()
	words := "ahoj\nkniha\n"
	for _, c := range []struct {
		why   string
		edit  func(profile, words string) (string, string)
		set   func(*config.Config)
		names string // "" = it may change
	}{
		{"points for being valid", replace("min_points = 50", "min_points = 60"), nil, "profile x, min_points: 60, the job was begun with 50"},
		{"points of a searcher", replace("points = 35", "points = 36"), nil, "profile x, searcher email, points: 36, the job was begun with 35"},
		{"a pattern", replace(`\.cz$`, `\.sk$`), nil, `profile x, searcher email, pattern: \.sk$, the job was begun with \.cz$`},
		{"a setting that was not there", replace("points = 35", "points = 35\ndistinct = true"), nil, "profile x, searcher email, distinct: true, the job was begun without"},
		{"a setting that is there no more", replace("cap = 100\n", ""), nil, "profile x, searcher dictionary, cap: missing, the job was begun with 100"},
		{"judged types", replace("depth = 1", "depth = 1\njudged_types = [\"text/html\"]"), nil, "profile x, judged_types"},
		{"another searcher", replace("[[searcher]]\nkind = \"email\"", "[[searcher]]\nkind = \"html_lang\"\npattern = \"^cs\"\npoints = 1\n\n[[searcher]]\nkind = \"email\""), nil, "profile x, searcher html_lang, kind"},
		{"a word", func(p, w string) (string, string) { return p, w + "les\n" }, nil, "profile x, searcher dictionary, list: 3 words"},
		{"the text that is looked at", nil, func(c *config.Config) { c.Analysis.MaxText = 1000 }, "analysis.max_text: 1000, the job was begun with 1048576"},
		{"another profile", nil, func(c *config.Config) { c.Analysis.Profiles = append(c.Analysis.Profiles, "sk") }, "analysis.profiles: x, sk, the job was begun with x"},
		{"the depth", replace("depth = 1", "depth = 2"), nil, "depth of profile 1: 2, the job was begun with 1"},
		{"what is judged", nil, func(c *config.Config) { c.Crawl.AnalyseLinked = !c.Crawl.AnalyseLinked }, "analyse_linked: "},
		{"several at once", replace("min_points = 50", "min_points = 51", "points = 35", "points = 36"), nil, "profile x, searcher email, points: 36"},
		{"what a profile is called for people, and evidence", replace("depth = 1", "depth = 1\ndescription = \"other\"\nevidence = \"counts\""), nil, ""},
		{"the order of words, and comments", func(p, w string) (string, string) { return "# a comment\n" + p, "kniha\nahoj\n" }, nil, ""},
		{"how many ToeThreads there are", nil, func(c *config.Config) { c.Crawl.ToeThreads = 9 }, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			var dir string
			j := newJob(t, tiny(pages{"/v": foreign()}), func(cfg *config.Config) {
				dir = cfg.Dir
				cfg.Analysis.Profiles = []string{filepath.Join(dir, "x.toml")}
			})
			write := func(profile, words string) {
				for name, text := range map[string]string{"x.toml": profile, "words.txt": words} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			write(changeable, words)
			j.run(job.Options{}, site+"/v")
			was := *j.cfg
			if c.edit != nil {
				write(c.edit(changeable, words))
			}
			if c.set != nil {
				c.set(j.cfg)
			}
			b, err := job.Open(t.Context(), j.cfg, job.Options{})
			if err == nil {
				err = b.Close()
			}
			switch {
			case c.names == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.names != "" && (!errors.Is(err, frontier.ErrChanged) || !strings.Contains(err.Error(), c.names)):
				t.Errorf("%v\nwant %s", err, c.names)
			}
			look := sameConfig(t.Context(), j.cfg)
			if errors.Is(look, frontier.ErrChanged) != (c.names != "") {
				t.Errorf("who only looks is told %v", look)
			}
			write(changeable, words)
			*j.cfg = was
			j.run(job.Options{}) // put back, the job goes on
		})
	}
}

func replace(oldNew ...string) func(string, string) (string, string) {
	return func(profile, words string) (string, string) {
		return strings.NewReplacer(oldNew...).Replace(profile), words
	}
}

// A state that was made anew knows what the job was begun with, before the next crawl.
func TestChangedAfterRecovery(t *testing.T) {
	t.Parallel()
	j := newJob(t, tiny(pages{"/v": foreign()}), nil)
	j.run(job.Options{}, site+"/v")
	if _, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{}); err != nil {
		t.Fatal(err)
	}
	j.cfg.Analysis.MaxText = 1000
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err == nil {
		err = b.Close()
	}
	if !errors.Is(err, frontier.ErrChanged) || !strings.Contains(err.Error(), "analysis.max_text: 1000, the job was begun with 1048576") {
		t.Errorf("%v", err)
	}
}

// sameConfig asks the state of a job at rest.
func sameConfig(ctx context.Context, cfg *config.Config) error {
	v, err := view.Open(ctx, folder.Of(cfg, folder.Env{}), view.Options{})
	if err != nil {
		return err
	}
	return errors.Join(v.State.SameConfig(), v.Close())
}
