package markup

import "strings"

// filesIn are the folders from which a page has files, and from which it leads to pages.
type filesIn struct{ files, pages map[string]struct{} }

// below reports a string that is a folder of a page's files, or their host, as scripts are told of themes and releases: "/themes/plain" beside
// /themes/plain/print.css, "/cdn/", "https://cdn.cz", unless the page also leads to something in it: then only what ends with a slash is.
func (f *filesIn) below(b *builder, folder string) bool {
	folder, slash := strings.CutSuffix(folder, "/")
	host := isFrontPage(folder)
	switch {
	case len(folder) < 2, strings.ContainsAny(folder, "?#"), !host && hasExtension(folder):
		return false
	case schemeLen(folder) > 0:
		if !host && !slash {
			return false // something may be called by it
		}
	case folder[0] != '/', folder[1] == '/':
		return false
	}
	if f.files == nil {
		f.files, f.pages = map[string]struct{}{}, map[string]struct{}{}
		for i := range b.doc.Links[:min(len(b.doc.Links), maxFilesIn)] {
			switch l := &b.doc.Links[i]; l.Kind {
			case Embed:
				above(l.URL, f.files)
			case Nav, Frame:
				above(l.URL, f.pages)
			case Speculative:
				f.guessed(l.URL)
			}
		}
		for i := range b.waiting {
			f.guessed(b.waiting[i].url)
		}
	}
	_, files := f.files[folder]
	_, pages := f.pages[folder]
	return files && !pages || pages && slash && !host
}

// guessed takes what scripts say: files that pages are made of tell of folders of files.
func (f *filesIn) guessed(url string) {
	if showsFile(url) {
		above(url, f.files)
	}
}

// above adds the folders in which something is.
func above(url string, into map[string]struct{}) {
	path, _, _ := strings.Cut(url, "?")
	for range foldersAbove {
		at := strings.LastIndexByte(path, '/')
		if at < 2 {
			return
		}
		path = path[:at]
		into[path] = struct{}{}
	}
}

const (
	maxFilesIn   = 4096 // links of a page that are looked at for the folders that they are in
	foldersAbove = 8
)
