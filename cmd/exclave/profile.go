package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/spf13/cobra"
)

// profiled gives a verb the hidden flags --cpuprofile and --memprofile, for
// go tool pprof. They serve exclave bench, and whoever looks for lost time.
func profiled(cmd *cobra.Command) *cobra.Command {
	var cpu, mem string
	cmd.Flags().StringVar(&cpu, "cpuprofile", "", "write a profile of processor time to this file")
	cmd.Flags().StringVar(&mem, "memprofile", "", "write a profile of allocations to this file at the end")
	for _, name := range []string{"cpuprofile", "memprofile"} {
		cmd.Flag(name).Hidden = true
	}
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		stop, err := profiling(cpu)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
		if mem != "" {
			defer func() { err = errors.Join(err, writeAllocations(mem)) }()
		}
		return inner(cmd, args)
	}
	return cmd
}

// profiling profiles processor time until stop is called; no file, no profile.
func profiling(file string) (stop func() error, err error) {
	if file == "" {
		return func() error { return nil }, nil
	}
	out, err := os.Create(file)
	if err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("--cpuprofile: %w", err))
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return nil, withCode(exitFailure, fmt.Errorf("--cpuprofile: %w", errors.Join(err, out.Close())))
	}
	return func() error {
		pprof.StopCPUProfile()
		return out.Close()
	}, nil
}

func writeAllocations(file string) error {
	out, err := os.Create(file)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("--memprofile: %w", err))
	}
	runtime.GC() // so that only live objects are counted
	return errors.Join(pprof.Lookup("allocs").WriteTo(out, 0), out.Close())
}
