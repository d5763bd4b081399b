package job_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// Where the setting says so, pages in a ZIP file lead on; elsewhere they do not.
func TestPacked(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	w, err := z.Create("kniha/index.html")
	must(t, err)
	_, err = w.Write([]byte(`<a href="http://b.test/">dál</a><a href="kapitola.html">zde</a>`))
	must(t, err)
	must(t, z.Close())
	web := testweb.Tiny{
		"http://a.test/":          testweb.National("/kniha.zip"),
		"http://a.test/kniha.zip": testweb.Text(file.String()).With("Content-Type", "application/zip"),
		"http://b.test/":          testweb.NationalPage(1),
	}
	for _, on := range []bool{false, true} {
		h := newJob(t, web, func(c *config.Config) { c.Documents.Packed = on }).run(job.Options{}, "http://a.test/")
		if (h.hits["http://b.test/"] == 1) != on || !h.outcomes["http://a.test/kniha.zip"].Archived || h.hits["http://a.test/kapitola.html"] > 0 {
			t.Errorf("packed %v: %v", on, h.hits)
		}
	}
}
