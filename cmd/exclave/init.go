package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"exclave/analyzer"
	"exclave/chain/decide"
	"exclave/config"
	"exclave/internal/fsx"

	"github.com/spf13/cobra"
)

const seedsText = `# Where the crawl begins: one URL a line, or lines of an out-of-scope log as
# exclave writes it (docs/formats/out-of-scope.md):
#   {"url":"http://www.example.com/","via":"http://www.example.cz/"}
# Blank lines and lines that begin with # are skipped; " # text" behind a URL is a comment
# (docs/formats/seeds.md).
`

func newInit() *cobra.Command {
	var contact string
	var profiles, own []string
	cmd := &cobra.Command{
		Use:   "init DIR --profile NAME",
		Short: "Make the folder of a new job",
		Long: `init makes a folder with a commented job.toml, which has every setting with
its default, and an empty list of seeds. A folder that holds anything is refused.

The domains that the nation harvests on their own are left out, as links and as seeds,
but for what archived pages embed: own_domains of the profile, or --own-domains.`,
		Example: `  exclave init my-job --profile cz --contact https://example.org/crawler
  exclave init my-job --profile cz --own-domains ""  # .cz is taken as well`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := profileNames(profiles)
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("init %s: %w", args[0], err))
			}
			if !cmd.Flags().Changed("own-domains") {
				own = nil
				for _, name := range names {
					own = append(own, config.NationalDomains(name)...)
				}
			}
			line, err := makeJob(args[0], names, contact, own)
			if err != nil {
				return err
			}
			next := []string{"add URLs to " + filepath.Join(args[0], "seeds.txt"), "exclave check " + args[0]}
			if contact == "" {
				next = append([]string{"write your contact URL into " + filepath.Join(args[0], config.FileName)}, next...)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is a new job.\n%s\nNext:\n  %s\n", args[0], ownDomains(filepath.Join(args[0], config.FileName), own, line), strings.Join(next, "\n  "))
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&profiles, "profile", nil, "which pages are wanted: "+strings.Join(analyzer.Builtins(), ", ")+", or a TOML file; may be repeated")
	cmd.Flags().StringSliceVar(&own, "own-domains", nil, "domains harvested on their own, which the job leaves out (own_domains of the profile)")
	cmd.Flags().StringVar(&contact, "contact", "", "URL where owners of servers learn who crawls")
	return cmd
}

// profileNames checks the profiles of a new job, at least one.
func profileNames(profiles []string) ([]string, error) {
	if len(profiles) == 0 {
		profiles = []string{""}
	}
	var names []string
	for _, p := range profiles {
		name, err := profileName(p)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("--profile: %s is given twice", p)
		}
		names = append(names, name)
	}
	return names, nil
}

// profileName checks a profile; the path of one becomes absolute, since job.toml
// stands in another folder.
func profileName(profile string) (string, error) {
	if profile == "" {
		return "", fmt.Errorf("--profile is missing; built in are %s", strings.Join(analyzer.Builtins(), ", "))
	}
	if _, err := analyzer.LoadProfile(profile); err != nil {
		return "", err
	}
	if _, err := analyzer.BuiltinSource(profile); err == nil {
		return profile, nil
	}
	return filepath.Abs(profile)
}

// ownDomains says which domains the new job leaves out, and where to change it.
func ownDomains(file string, own []string, line int) string {
	if len(own) == 0 {
		return "It leaves out no domain: neither the profile's own_domains nor --own-domains name one that is\nharvested on its own."
	}
	return fmt.Sprintf("It leaves out %s, harvested on its own: links and seeds there are refused, what archived\npages embed is not. To take it, remove the rule at %s:%d.", "."+strings.Join(own, " and ."), file, line)
}

// makeJob makes the folder and returns the line of job.toml at which the rule stands that
// leaves the own domains out, 0 when there are none.
func makeJob(dir string, profiles []string, contact string, own []string) (line int, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return 0, withCode(exitUsage, fmt.Errorf("init %s: the folder is not empty", dir))
	case errors.Is(err, fs.ErrPermission):
		return 0, withCode(exitFailure, fmt.Errorf("init %w", err))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return 0, withCode(exitUsage, fmt.Errorf("init %w", err))
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return 0, fmt.Errorf("init %s: %w", dir, err)
	}
	c := config.Default(profiles[0])
	c.Analysis.Profiles = profiles
	c.Scope = decide.DefaultScope(own...)
	if _, problems := decide.Build(c.Scope, dir, time.Time{}); len(problems) > 0 {
		return 0, withCode(exitUsage, fmt.Errorf("init %s: --own-domains: %s", dir, problems[0].Msg))
	}
	c.HTTP.Contact = contact
	if ps := c.HTTP.Validate(); contact != "" && len(ps) > 0 {
		return 0, withCode(exitUsage, fmt.Errorf("init %s: --contact: %s", dir, ps[0].Msg))
	}
	if err := fsx.MkdirAll(fsx.Real(), dir); err != nil {
		return 0, fmt.Errorf("init: %w", err)
	}
	c.Job.Name = jobName(filepath.Base(abs))
	text := config.Template(c)
	if before, _, ok := strings.Cut(string(text), "\nrule = \"hosts\"\n"); ok {
		line = strings.Count(before, "\n") + 1 // that of [[scope]]
	}
	for name, text := range map[string][]byte{config.FileName: text, "seeds.txt": []byte(seedsText)} {
		if err := fsx.WriteFileAtomic(fsx.Real(), filepath.Join(dir, name), text); err != nil {
			return 0, fmt.Errorf("init: %w", err)
		}
	}
	return line, nil
}

// jobName makes the name of a folder one that a job may have.
func jobName(folder string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z') {
			return r
		}
		return '-'
	}, folder)
}
