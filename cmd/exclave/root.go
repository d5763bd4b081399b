package main

import (
	"github.com/spf13/cobra"
)

// newRoot builds the command tree. began is set when a verb begins to run: an
// error before that is one of usage.
func newRoot(began *bool) *cobra.Command {
	root := &cobra.Command{
		Use:   "exclave",
		Short: "Archive the pages of a nation outside its top-level domain",
		Long: `exclave takes links that a harvest of a national domain left out, fetches them,
judges page by page whether the page belongs to the nation, and archives those
that do, with what they need and link to, as WARC files.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRun:  func(*cobra.Command, []string) { *began = true },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(
		newInit(),
		newCheck(),
		newCrawl(),
		newSeeds(),
		newWatch(),
		newVerify(),
		newReport(),
		newShow(),
		newWhy(),
		newRobots(),
		newSheet(),
		newFrontier(),
		newRetry(),
		newRecrawl(),
		newPause(),
		newReload(),
		newResume(),
		newStop(),
		newCheckpoint(),
		newMoved(),
		newStore(),
		newDivide(),
		newWARC(),
		newCDX(),
		newDedup(),
		newPywb(),
		newWACZ(),
		newRecover(),
		newURL(),
		newAnalyze(),
		newExtract(),
		newLang(),
		newEval(),
		newCalibrate(),
		newRescore(),
		newLabel(),
		newDict(),
		newProfile(),
		newGeoIP(),
		newDemo(),
		newBench(),
		newVersion(),
	)
	limitFlags(root)
	return root
}
