package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"exclave/analyzer"
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
	var profile, contact string
	cmd := &cobra.Command{
		Use:   "init DIR --profile NAME",
		Short: "Make the folder of a new job",
		Long: `init makes a folder with a commented job.toml, in which every setting stands with
its default, and an empty list of seeds. A folder that holds anything is refused.`,
		Example: "  exclave init my-job --profile cz --contact https://example.org/crawler",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := profileName(profile)
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("init %s: %w", args[0], err))
			}
			if err := makeJob(args[0], name, contact); err != nil {
				return err
			}
			next := []string{"add URLs to " + filepath.Join(args[0], "seeds.txt"), "exclave check " + args[0]}
			if contact == "" {
				next = append([]string{"write your contact URL into " + filepath.Join(args[0], config.FileName)}, next...)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is a new job. Next:\n  %s\n", args[0], strings.Join(next, "\n  "))
			return nil
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "which pages are wanted: "+strings.Join(analyzer.Builtins(), ", ")+", or a TOML file")
	cmd.Flags().StringVar(&contact, "contact", "", "URL where owners of servers learn who crawls")
	return cmd
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

func makeJob(dir, profile, contact string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return withCode(exitUsage, fmt.Errorf("init %s: the folder is not empty", dir))
	case errors.Is(err, fs.ErrPermission):
		return withCode(exitFailure, fmt.Errorf("init %w", err))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return withCode(exitUsage, fmt.Errorf("init %w", err))
	}
	if err := fsx.MkdirAll(fsx.Real(), dir); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("init %s: %w", dir, err)
	}
	c := config.Default(profile)
	c.Job.Name = jobName(filepath.Base(abs))
	c.HTTP.Contact = contact
	for name, text := range map[string][]byte{config.FileName: config.Template(c), "seeds.txt": []byte(seedsText)} {
		if err := fsx.WriteFileAtomic(fsx.Real(), filepath.Join(dir, name), text); err != nil {
			return fmt.Errorf("init: %w", err)
		}
	}
	return nil
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
