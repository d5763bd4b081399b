package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"exclave/dict"
	"exclave/langid"
)

// codes are languages as the folders of texts call them, where we do not.
func codes() map[string]string {
	return map[string]string{"nb": "no", "nn": "no", "sr-latn": "sr", "sr_latn": "sr", "sr_cyrl": "sr", "pt_br": "pt", "en-gb": "en",
		"ces": "cs", "slk": "sk", "pol": "pl", "slv": "sl", "hrv": "hr", "srp_latn": "sr", "srp_cyrl": "sr", "hun": "hu", "deu_1996": "de", "eng": "en", "dan": "da",
		"nob": "no", "nno": "no", "swe": "sv", "ukr": "uk", "rus": "ru", "bul": "bg", "mkd": "mk", "bel": "be", "ron_2006": "ro", "ita": "it", "fra": "fr", "spa": "es",
		"por_PT": "pt", "por_pt": "pt", "cat": "ca", "glg": "gl", "oci": "oc", "ast": "ast", "eus": "eu", "nld": "nl", "afr": "af", "isl": "is", "fin": "fi", "ekk": "et", "lit": "lt",
		"lvs": "lv", "tur": "tr", "azj_latn": "az", "als": "sq", "gle": "ga", "gla": "gd", "cym": "cy", "bre": "br", "epo": "eo", "ind": "id", "tgl": "tl", "vie": "vi",
		"ell_monotonic": "el", "kaz": "kk", "zlm_latn": "ms"}
}

// own are the languages that texts of ours are wanted in, beside which every other is a wrong one.
func own() []string {
	return strings.Fields("cs sk pl sl hr sr hsb hu de en da no sv uk ru")
}

const perLength = 300 // texts of one language, length and source

type count struct{ texts, right, unknown, wrong int }

// measure cuts the texts of each source and language into pieces and asks what these are in.
func measure(m *langid.Model, folder string, verbose bool) error {
	lengths := []int{5, 10, 20, 50, 100, 400}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*.txt"))
	if err != nil {
		return err
	}
	table := map[string]*count{} // source, language, form, length
	falsely := map[string]int{}  // wanted language by the length
	negative := map[int]int{}
	for _, file := range files {
		source, language := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".txt")
		if code := codes()[strings.ToLower(language)]; code != "" {
			language = code
		}
		if len(language) > 3 || !m.Knows(language) && source != "udhr" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, form := range []string{"", "ascii"} {
			s := string(text)
			if form == "ascii" {
				if s = folder1(s); s == string(text) {
					continue
				}
			}
			var words [][]byte
			for w := range dict.Words(s) {
				words = append(words, slices.Clone(w))
			}
			for _, n := range lengths {
				pieces := len(words) / n
				step := max(1, pieces/perLength)
				for i := 0; i < pieces; i += step {
					piece := words[i*n : (i+1)*n]
					got := m.Identify(dict.BagOf(slices.Values(piece)))
					said := verdict(got)
					if slices.Contains(own(), language) {
						key := fmt.Sprintf("%-4s %-5s %-6s %4d", language, form, source, n)
						if table[key] == nil {
							table[key] = &count{}
						}
						c := table[key]
						c.texts++
						switch said {
						case language:
							c.right++
						case langid.Unknown:
							c.unknown++
						default:
							c.wrong++
						}
					} else {
						negative[n]++
					}
					if said != language && slices.Contains(own(), said) {
						falsely[fmt.Sprintf("%-4s %4d from %s %s %s", said, n, language, form, source)]++
						if verbose {
							fmt.Printf("%s as %s (%s %s): %s\n", language, said, source, form, string(joined(piece)))
						}
					}
				}
			}
		}
	}
	for _, key := range sortedKeys(table) {
		c := table[key]
		fmt.Printf("%s  %5d texts  right %6.2f %%  unknown %6.2f %%  wrong %d\n", key, c.texts, 100*float64(c.right)/float64(c.texts), 100*float64(c.unknown)/float64(c.texts), c.wrong)
	}
	fmt.Println("other languages:", negative)
	for _, key := range sortedKeys(falsely) {
		fmt.Println("taken for", key, falsely[key])
	}
	return nil
}

// verdict is the language of most passages that are in any.
func verdict(t langid.Text) string {
	for _, s := range t.Shares {
		if s.Language != langid.Unknown && 3*s.Passages >= t.Passages {
			return s.Language
		}
	}
	return langid.Unknown
}

func folder1(s string) string { return folder(false)(strings.ToLower(s)) }

func joined(words [][]byte) []byte {
	var out []byte
	for _, w := range words {
		out = append(append(out, w...), ' ')
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
