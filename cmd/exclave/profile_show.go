package main

import (
	"fmt"

	"exclave/analyzer"

	"github.com/spf13/cobra"
)

func newProfileShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Print a built-in profile, to change a copy of it; without NAME list them",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				text, err := analyzer.BuiltinSource(args[0])
				if err != nil {
					return withCode(exitUsage, err)
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			for _, name := range analyzer.Builtins() {
				p, err := analyzer.LoadProfile(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\t%s\t%s\n", name, p.Nation, p.Description)
			}
			return nil
		},
	}
}
