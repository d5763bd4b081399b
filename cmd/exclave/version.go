package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"exclave/analyzer"
	"exclave/dict"
	"exclave/frontier"
	"exclave/langid"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	var notice bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and of its formats",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if notice {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n%s\n%s", dict.Notice(), langid.Notice(), analyzer.Notice())
				return err
			}
			b := readBuild()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "exclave %s\ncommit %s\nstate format %d\nWARC 1.1\n%s %s/%s\n",
				programVersion, b.commit, frontier.FormatVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&notice, "notice", false, "print instead whose the built-in word lists, language model and gazetteers are, and their licences")
	return cmd
}

// programVersion is the version of the program, as in user agents and warcinfo.
const programVersion = "0.1.0"

// build is where a binary comes from, as far as it knows.
type build struct{ commit string }

func readBuild() build {
	b := build{"unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
		}
	}
	b.commit += dirty
	return b
}
