package standard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/internal/conf"
)

// StepConfig is one step of a chain: [[chain.extract]] in job.toml.
type StepConfig struct {
	Kind    string              `toml:"kind"`              // of the table, see [Kinds]
	Enabled *bool               `toml:"enabled,omitempty"` // nil is true
	Rules   []decide.RuleConfig `toml:"rules,omitempty"`   // a URI that they reject skips the step
	Options map[string]any      `toml:"options,omitempty"` // the kind's own
}

// Build makes the steps of the five chains. A chain that cfg does not mention is
// the default one. With problems the steps must not be used; to check a
// configuration only, env may be the zero Env but for Dir. Keys of problems are those of
// the table of chains: "extract[1].options.max_body".
func Build(env *Env, cfg map[chain.Name][]StepConfig) (map[chain.Name][]chain.Step, conf.Problems) {
	var problems conf.Problems
	for n := range cfg {
		if !slices.Contains(chain.Names(), n) {
			problems.Add(string(n), "there is no chain %q; the chains are %v", n, chain.Names())
		}
	}
	slices.SortFunc(problems, func(a, b conf.Problem) int { return strings.Compare(a.Key, b.Key) })
	out := map[chain.Name][]chain.Step{}
	defaults, table := Default(), Kinds()
	for _, n := range chain.Names() {
		steps, ok := cfg[n]
		if !ok {
			steps = defaults[n]
		}
		count := map[string]int{}
		for i, c := range steps {
			s, ps := buildStep(env, table, n, c)
			problems = append(problems, ps.Below(conf.Element(string(n), i))...)
			if len(ps) > 0 || c.Enabled != nil && !*c.Enabled {
				continue
			}
			count[c.Kind]++
			if k := count[c.Kind]; k > 1 {
				s.Name = fmt.Sprintf("%s#%d", s.Name, k)
			}
			out[n] = append(out[n], s)
		}
	}
	return out, problems
}

// buildStep makes one step; keys of problems are relative to it.
func buildStep(env *Env, table []Kind, n chain.Name, c StepConfig) (chain.Step, conf.Problems) {
	i := slices.IndexFunc(table, func(k Kind) bool { return k.Chain == n && k.Kind == c.Kind })
	if i < 0 {
		return chain.Step{}, conf.Problems{{Key: "kind", Msg: unknownKind(table, n, c.Kind)}}
	}
	proc, problems := table[i].New(env, c.Options)
	problems = problems.Below("options")
	s := chain.Step{Name: string(n) + "/" + c.Kind, Kind: c.Kind, Proc: proc}
	if len(c.Rules) > 0 {
		var today time.Time
		if env.Clock != nil { // there is none where steps are only checked
			today = env.Clock.Now()
		}
		seq, ps := decide.Build(c.Rules, env.Dir, today)
		problems = append(problems, ps.Below("rules")...)
		s.Filter = seq
	}
	return s, problems
}

func unknownKind(table []Kind, n chain.Name, kind string) string {
	var here []string
	for _, k := range table {
		if k.Kind == kind {
			return fmt.Sprintf("%q belongs to the chain %q, not to %q", kind, k.Chain, n)
		}
		if k.Chain == n {
			here = append(here, k.Kind)
		}
	}
	return fmt.Sprintf("there is no processor %q; those of the chain %q are %s", kind, n, strings.Join(here, ", "))
}

// read reads the options of a step into a configuration that holds the defaults, and
// checks it.
func read[T any](options map[string]any, def T) (T, conf.Problems) {
	problems := conf.Read(options, &def)
	return def, problems
}

// none reports options of a kind that takes none.
func none(options map[string]any) conf.Problems {
	_, problems := read(options, struct{}{})
	return problems
}
