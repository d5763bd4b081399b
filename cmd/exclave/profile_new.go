package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/dict"
	"exclave/langid"

	"github.com/spf13/cobra"
)

// nationParts are what a new profile is made of; "" = there is none.
type nationParts struct {
	code, name, nation, list, neighbour, language, phone string
	tlds, langs                                          []string
}

func newProfileNew() *cobra.Command {
	var (
		out string
		n   nationParts
	)
	cmd := &cobra.Command{
		Use:   "new XX",
		Short: "Make the profile of a nation from what is at hand",
		Long: `new makes a profile for the nation with the country code XX: its top-level domain in
e-mail addresses, its country of IP addresses, and what the flags name. With a word list and
a language that the language model tells, the profile decides by a probability with the terms of
the built-in profiles and the median of their weights, which exclave calibrate adapts. Without
one of these it decides by points, of which words alone make a page valid, contacts and
declarations do not. What is not given is left out, and told.
docs/howto/new-nation.md goes through it for one nation.`,
		Example: `  exclave profile new EE --nation Estonia --list et.txt --language et --phone 372 -o ee.toml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n.code = strings.ToUpper(args[0])
			text, notes, err := n.profile(filepath.Dir(out))
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("profile new %s: %w", args[0], err))
			}
			for _, note := range notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: %s\n", note)
			}
			return writeProfile(cmd, out, []byte(text))
		},
	}
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "file to write, replaced when it is there; stdout without")
	f.StringVar(&n.name, "name", "", "name of the profile (the code in lower case)")
	f.StringVar(&n.nation, "nation", "", "name of the nation, for people")
	f.StringVar(&n.list, "list", "", "word list: a built-in one, or a file, relative to the folder of the profile")
	f.StringVar(&n.neighbour, "neighbour", "", "word list of the nearest language, whose words speak against the nation: built-in, or a file as with --list")
	f.StringVar(&n.language, "language", "", "code of the language: of the language model, and of lang attributes")
	f.StringSliceVar(&n.langs, "lang", nil, "further codes that lang attributes may have, such as the three-letter ones")
	f.StringSliceVar(&n.tlds, "tld", nil, "top-level domains (the code in lower case)")
	f.StringVar(&n.phone, "phone", "", "country code of telephone numbers, without +")
	return cmd
}

// profile writes the profile, and says what it lacks. dir is where it will lie.
func (n nationParts) profile(dir string) (text string, notes []string, err error) {
	if !regexp.MustCompile(`^[A-Z]{2}$`).MatchString(n.code) {
		return "", nil, errors.New("a country code of two letters is wanted (ISO 3166-1)")
	}
	if n.phone != "" && !regexp.MustCompile(`^[1-9][0-9]{0,3}$`).MatchString(n.phone) {
		return "", nil, fmt.Errorf("--phone %q: the digits of a country code are wanted, like 372", n.phone)
	}
	lower := strings.ToLower(n.code)
	if n.name == "" {
		n.name = lower
	}
	if len(n.tlds) == 0 {
		n.tlds = []string{lower}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by exclave profile new %s; docs/formats/profile.md says what the keys mean, and how\n# the points of such a profile were chosen. Try it: exclave analyze --profile FILE PAGES\n\n", n.code)
	modelled := slices.Contains(langid.Builtins(), n.language)
	weighed := modelled && n.list != ""
	fmt.Fprintf(&b, "[profile]\nname = %q\nnation = %q\nmin_points = 100\n", n.name, n.nation)
	if weighed {
		b.WriteString("decide = \"probability\"\n")
	} else {
		b.WriteString("# It decides by points: the terms of a probability want a word list, and a language that the\n# language model tells, both.\n")
	}
	searchers := []string{"email", "geoip"} // that are written
	fmt.Fprintf(&b, "depth = 1\nown_domains = [%s]\n", quoted(n.tlds))
	if n.list == "" {
		notes = append(notes, "no --list: no word tells the language (docs/howto/word-lists.md says how a list is made)")
	} else {
		l, err := loadList("--list", n.list, dir)
		if err != nil {
			return "", nil, err
		}
		searchers = append(searchers, "dictionary")
		fmt.Fprintf(&b, "\n# Five different words that only this language has are enough.\n[[searcher]]\nkind = \"dictionary\"\nlist = %q\nskip_names = true\npoints = 20\ncap = 100\ndistinct = true\nmin_distinct = 2\nmin_share = 0.08\n", n.list)
		if l.LenOf(dict.ASCII) > 0 {
			searchers = append(searchers, "ascii")
			fmt.Fprintf(&b, "\n# The same without their diacritics.\n[[searcher]]\nkind = \"dictionary\"\nname = \"ascii\"\nlist = %q\nskip_names = true\nclass = \"ascii\"\npoints = 20\ncap = 100\ndistinct = true\nmin_distinct = 2\nmin_share = 0.08\n", n.list)
		}
		if l.LenOf(dict.Shared) > 0 {
			searchers = append(searchers, "shared")
			fmt.Fprintf(&b, "\n# Words that a neighbour has, too, support others.\n[[searcher]]\nkind = \"dictionary\"\nname = \"shared\"\nlist = %q\nskip_names = true\nclass = \"shared\"\npoints = 5\ncap = 40\ndistinct = true\nmin_distinct = 2\nmin_share = 0.05\n", n.list)
		}
	}
	switch {
	case n.language == "":
		notes = append(notes, "no --language: neither the language of the text nor lang attributes count")
	case modelled:
		searchers = append(searchers, "language")
		fmt.Fprintf(&b, "\n# Most of the text is in the language. That alone is not enough: lists of names look like\n# some language to any model.\n[[searcher]]\nkind = \"language\"\nlanguage = %q\npoints = 60\ncap = 60\nmin_share = 0.5\n", n.language)
	default:
		notes = append(notes, fmt.Sprintf("the language model does not tell %q, only %s: searcher language is left out", n.language, strings.Join(langid.Builtins(), ", ")))
	}
	fmt.Fprintf(&b, "\n# A contact alone never makes a page valid.\n[[searcher]]\nkind = \"email\"\npattern = '@([a-z0-9-]+\\.)+(%s)$'\npoints = 35\ncap = 35\ndistinct = true\n", regexps(n.tlds))
	if n.phone == "" {
		notes = append(notes, "no --phone: telephone numbers do not count")
	} else {
		searchers = append(searchers, "phone")
		fmt.Fprintf(&b, "\n# The numbering plan may allow fewer digits; say it in the pattern.\n[[searcher]]\nkind = \"phone\"\npattern = '^\\+%s[0-9]{4,12}$'\npoints = 35\ncap = 35\ndistinct = true\n", n.phone)
	}
	if n.language != "" {
		searchers = append(searchers, "html_lang")
		fmt.Fprintf(&b, "\n# A declaration is often left over from a template.\n[[searcher]]\nkind = \"html_lang\"\npattern = '^(%s)([-_]|$)'\npoints = 20\ncap = 20\n", regexps(append([]string{n.language}, n.langs...)))
	}
	fmt.Fprintf(&b, "\n# An address in the country supports other evidence. Needs a database (docs/howto/geoip.md).\n[[searcher]]\nkind = \"geoip\"\ncountries = [%q]\npoints = 10\ncap = 10\nmin_share = 0.5\n", n.code)
	if weighed {
		b.WriteString("\n# What follows counts no points; the terms of the probability weigh it.\n")
		if n.neighbour == "" {
			notes = append(notes, "no --neighbour: words of the nearest language do not speak against the nation")
		} else {
			if _, err := loadList("--neighbour", n.neighbour, dir); err != nil {
				return "", nil, err
			}
			searchers = append(searchers, "words_neighbour")
			fmt.Fprintf(&b, "\n# Words that only the nearest language has: its text with a quotation is not the nation's.\n[[searcher]]\nkind = \"dictionary\"\nname = \"words_neighbour\"\nlist = %q\nskip_names = true\npoints = 0\n", n.neighbour)
		}
		searchers = append(searchers, "root_lang")
		fmt.Fprintf(&b, "\n# The root element's declaration says more than any other.\n[[searcher]]\nkind = \"html_lang\"\nname = \"root_lang\"\nwhere = \"root\"\npattern = '^(%s)([-_]|$)'\npoints = 0\n", regexps(append([]string{n.language}, n.langs...)))
		if err := writeTerms(&b, searchers); err != nil {
			return "", nil, err
		}
	} else if n.neighbour != "" {
		notes = append(notes, "--neighbour is left out: points do not weigh it")
	}
	if _, problems := analyzer.ParseProfile([]byte(b.String()), filepath.Join(dir, "profile.toml")); len(problems) > 0 {
		return "", nil, problems.Err("profile")
	}
	return b.String(), notes, nil
}

// loadList loads a word list as a profile in the folder would name it.
func loadList(flag, name, dir string) (*dict.List, error) {
	if dict.IsFile(name) && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	l, err := dict.Load(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return l, nil
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(out, ", ")
}

// regexps joins texts to a regular expression that is any of them.
func regexps(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = regexp.QuoteMeta(strings.ToLower(s))
	}
	return strings.Join(out, "|")
}
