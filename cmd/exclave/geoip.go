package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/geoip"

	"github.com/spf13/cobra"
)

func newGeoIP() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "geoip",
		Short: "Build and query databases that say where an IP address is",
		Long: `A job judges by addresses when analysis.geoip in its job.toml names such a
database. Two forms of MaxMind DB files are read: MaxMind's own (country.iso_code)
and the flat one (country_code).`,
	}
	cmd.AddCommand(newGeoIPBuild(), newGeoIPLookup(), newGeoIPExport())
	return cmd
}

// maxBadRanges is how many bad lines of one file are shown.
const maxBadRanges = 10

func newGeoIPBuild() *cobra.Command {
	var out, schema, description string
	cmd := &cobra.Command{
		Use:   "build --out FILE.mmdb RANGES…",
		Short: "Make a database of files of ranges",
		Long: `build reads files of ranges, one a line, compressed with gzip or not: first
address, last address, country; or network, country. Fields are separated by tabs
or commas; a number of an autonomous system may stand before the country, and what
follows is ignored. Addresses may be decimal numbers. Lines beginning with # and a
heading are passed over; None, Unknown, ZZ, - or nothing stands for no country.

Where ranges overlap, in one file or several, the smaller one counts; of ranges of
one size the last. Lines that cannot be used are counted and shown; without any
that can, or without a country, nothing is written (exit code 2).`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := geoip.Options{Schema: geoip.Schema(schema), Description: description}
			var b geoip.Builder
			bad := 0
			for _, name := range args {
				n, changed, err := readRanges(&b, name, cmd.ErrOrStderr())
				if err != nil {
					return withCode(exitUsage, err)
				}
				bad += n
				if changed.After(o.Built) {
					o.Built = changed
				}
			}
			data, err := b.Build(o)
			if err != nil {
				return withCode(exitUsage, err)
			}
			if err := fsx.WriteSharedAtomic(fsx.Real(), out, data); err != nil {
				return fmt.Errorf("geoip: write %s: %w", out, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s left out, %d bytes\n", out, count(b.Len(), "range"), count(bad, "bad line"), len(data))
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "file to write; an older one is replaced when the new one is complete")
	cmd.Flags().StringVar(&schema, "schema", string(geoip.SchemaFlat), `form of the records: "flat" or "maxmind"`)
	cmd.Flags().StringVar(&description, "description", "", "text in the database for people: where the ranges are from")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		cmd.RunE = func(*cobra.Command, []string) error { return err }
	}
	return cmd
}

// readRanges adds the ranges of a file, shows its first bad lines and counts them;
// changed is when the file was.
func readRanges(b *geoip.Builder, name string, show io.Writer) (bad int, changed time.Time, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, changed, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return 0, changed, err
	}
	err = geoip.ReadRanges(f, b.Add, func(l geoip.BadLine) {
		if bad++; bad <= maxBadRanges {
			fmt.Fprintf(show, "%s:%d: %s\n", name, l.Line, l.Why)
		}
	})
	if err != nil {
		return bad, changed, fmt.Errorf("%s: %w", name, err)
	}
	if bad > maxBadRanges {
		fmt.Fprintf(show, "%s: %d more bad lines\n", name, bad-maxBadRanges)
	}
	return bad, info.ModTime(), nil
}

func newGeoIPLookup() *cobra.Command {
	var asn string
	cmd := &cobra.Command{
		Use:   "lookup DATABASE ADDRESS…",
		Short: "Say in which country addresses are, in which city, and whose network that is",
		Long: `lookup prints for each address its country (- when it is unknown), the network that
the answer is for, and the schema of the database. With a database that names cities
or owners of networks (GeoLite2-City, Enterprise), and with --asn, city and owner
follow. DATABASE may be one of autonomous systems only (GeoLite2-ASN). The exit code
is 1 when nothing is known of any address.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := openLookup(args[0], asn)
			if err != nil {
				return withCode(exitUsage, err)
			}
			known := false
			for _, s := range args[1:] {
				a, err := netip.ParseAddr(s)
				if err != nil {
					return withCode(exitUsage, fmt.Errorf("geoip: %q is no address; host names are not looked up", s))
				}
				p, err := l.place(a)
				if err != nil {
					return withCode(exitUsage, err)
				}
				known = known || p.Country != "" || p.Owner != geoip.Owner{}
				fmt.Fprintln(cmd.OutOrStdout(), strings.Join(l.columns(a, p), "\t"))
			}
			if !known {
				return withCode(exitNegative, errSaid)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&asn, "asn", "", "database of autonomous systems beside DATABASE, such as GeoLite2-ASN")
	return cmd
}

// lookup is the databases that are asked.
type lookup struct {
	db     *geoip.DB     // nil: owners alone is asked
	owners *geoip.Owners // nil: db alone is asked
}

// openLookup opens a database of countries, or one of autonomous systems, and
// asn beside it unless that is "".
func openLookup(name, asn string) (l lookup, err error) {
	if asn != "" {
		if l.owners, err = geoip.OpenOwners(asn); err != nil {
			return l, err
		}
	}
	l.db, err = geoip.Open(name)
	if errors.Is(err, geoip.ErrNotCountries) && asn == "" {
		var other error
		if l.owners, other = geoip.OpenOwners(name); other == nil {
			return l, nil
		}
	}
	return l, err
}

func (l lookup) place(a netip.Addr) (p geoip.Place, err error) {
	if l.db != nil {
		if p, err = l.db.Place(a); err != nil {
			return p, err
		}
	}
	if l.owners != nil {
		network, owner, err := l.owners.Owner(a)
		if err != nil {
			return p, err
		}
		if l.db == nil {
			p.Network = network
		}
		if owner != (geoip.Owner{}) {
			p.Owner = owner
		}
	}
	return p, nil
}

// columns are what is printed of an address.
func (l lookup) columns(a netip.Addr, p geoip.Place) []string {
	schema, details := geoip.SchemaMaxMind, true
	if l.db != nil {
		i := l.db.Info()
		schema, details = i.Schema, i.Cities || i.Owners || l.owners != nil
	}
	network := "not-covered"
	if p.Network.IsValid() {
		network = p.Network.String()
	}
	out := []string{a.String(), cmp.Or(p.Country, "-"), network, string(schema)}
	if details {
		out = append(out, cmp.Or(p.City, "-"), cmp.Or(p.Owner.String(), "-"))
	}
	return out
}

func newGeoIPExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export DATABASE",
		Short: "Write the networks of a database as text that build reads",
		Long: `export prints "network,country" for every network with a country, in the order of
the addresses. To change a few, put them into a file of their own and build from both.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			db, err := geoip.Open(args[0])
			if err != nil {
				return withCode(exitUsage, err)
			}
			i := db.Info()
			w := bufio.NewWriter(cmd.OutOrStdout())
			fmt.Fprintf(w, "# %s, %s, %d networks, %d countries\n", i.Type, i.Built.Format(time.DateOnly), i.Networks, i.Countries)
			for p, code := range db.Networks() {
				fmt.Fprintf(w, "%s,%s\n", p, code)
			}
			return w.Flush()
		},
	}
}
