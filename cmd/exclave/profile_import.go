package main

import (
	"fmt"
	"os"

	"exclave/internal/fsx"
	"exclave/internal/webanalyzer"

	"github.com/spf13/cobra"
)

func newProfile() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "profile",
		Short: "Make and show profiles, the definitions of a nation's pages",
	}
	cmd.AddCommand(newProfileImport(), newProfileNew(), newProfileShow())
	return cmd
}

func newProfileImport() *cobra.Command {
	var (
		out string
		o   webanalyzer.Options
	)
	cmd := &cobra.Command{
		Use:   "import ANALYZER.PROPERTIES",
		Short: "Make a profile of the original WebAnalyzer's settings",
		Long: `import reads a properties file of the original WebAnalyzer (keys with WebAnalyzer. or
webanalyzer. before them) and makes a profile that counts as it did: regular expressions
on the document as found, points for every occurrence, the threshold. What a profile has
no place for, and patterns that mean something else than they seem to, are told.

Exit codes: 0 the profile was made; 2 a value is wrong, its line is named, and nothing
was written.`,
		Example: `  exclave profile import analyzer.properties -o mine.toml
  exclave analyze --profile ./mine.toml page.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("profile import: %w", err))
			}
			text, notes, err := webanalyzer.Import(data, o)
			for _, n := range notes {
				fmt.Fprintf(cmd.ErrOrStderr(), "exclave: note: %s: %s\n", args[0], n)
			}
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("profile import: %s: %w", args[0], err))
			}
			return writeProfile(cmd, out, text)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write, replaced when it is there; stdout without")
	cmd.Flags().StringVar(&o.Name, "name", "original", "name of the profile")
	cmd.Flags().StringVar(&o.List, "list", "", "word list, instead of the built-in one of the properties' language: its name or a file")
	return cmd
}

// writeProfile writes the text of a profile to a file, or to stdout when out is "".
func writeProfile(cmd *cobra.Command, out string, text []byte) error {
	if out == "" {
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	if err := fsx.WriteSharedAtomic(fsx.Real(), out, text); err != nil {
		return withCode(exitFailure, fmt.Errorf("profile: write %s: %w", out, err))
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: a profile; try it: exclave analyze --profile %s FILE\n", out, out)
	return err
}
