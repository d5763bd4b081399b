package standard

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"exclave/chain"
	"exclave/chain/decide"
)

// StepConfig is one step of a chain: [[chain.extract]] in job.toml.
type StepConfig struct {
	Kind    string              `toml:"kind"`              // of the table, see [Kinds]
	Enabled *bool               `toml:"enabled,omitempty"` // nil is true
	Rules   []decide.RuleConfig `toml:"rules,omitempty"`   // a URI that they reject skips the step
	Options map[string]any      `toml:"options,omitempty"` // the kind's own
}

// Problem is one thing wrong in the configuration of the chains.
type Problem struct {
	Key string // relative to the table of chains: extract[1].options.max_body
	Msg string // what is wrong and what is allowed
}

// Build makes the steps of the five chains. A chain that cfg does not mention is
// the default one. With problems the steps must not be used; to check a
// configuration only, env may be the zero Env but for Dir.
func Build(env *Env, cfg map[chain.Name][]StepConfig) (map[chain.Name][]chain.Step, []Problem) {
	var problems []Problem
	for n := range cfg {
		if !slices.Contains(chain.Names(), n) {
			problems = append(problems, Problem{string(n), fmt.Sprintf("there is no chain %q; the chains are %v", n, chain.Names())})
		}
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) })
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
			for _, p := range ps {
				problems = append(problems, Problem{fmt.Sprintf("%s[%d].%s", n, i, p.Key), p.Msg})
			}
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
func buildStep(env *Env, table []Kind, n chain.Name, c StepConfig) (chain.Step, []Problem) {
	i := slices.IndexFunc(table, func(k Kind) bool { return k.Chain == n && k.Kind == c.Kind })
	if i < 0 {
		return chain.Step{}, []Problem{{"kind", unknownKind(table, n, c.Kind)}}
	}
	proc, problems := table[i].New(env, c.Options)
	for j := range problems {
		problems[j].Key = strings.TrimSuffix("options."+problems[j].Key, ".")
	}
	s := chain.Step{Name: string(n) + "/" + c.Kind, Kind: c.Kind, Proc: proc}
	if len(c.Rules) > 0 {
		var today time.Time
		if env.Clock != nil { // there is none where steps are only checked
			today = env.Clock.Now()
		}
		seq, ps := decide.Build(c.Rules, env.Dir, today)
		for _, p := range ps {
			problems = append(problems, Problem{"rules" + p.Key, p.Msg})
		}
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

// decode reads options into a configuration that holds the defaults. Unknown
// keys and values of another type are problems.
func decode[T any](options map[string]any, def T) (T, []Problem) {
	if len(options) == 0 {
		return def, nil
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(options); err != nil {
		return def, []Problem{{"", err.Error()}}
	}
	c := def
	md, err := toml.Decode(text.String(), &c)
	if err != nil {
		return def, []Problem{typeProblem(options, err)}
	}
	var problems []Problem
	for _, k := range md.Undecoded() {
		problems = append(problems, Problem{k.String(), "is not an option of this processor"})
	}
	if v, ok := any(c).(interface{ Validate() []error }); ok {
		for _, err := range v.Validate() {
			key, msg, _ := strings.Cut(err.Error(), ": ")
			problems = append(problems, Problem{key, msg})
		}
	}
	return c, problems
}

// typeProblem names the option that a decoding error is about, when it can.
func typeProblem(options map[string]any, err error) Problem {
	msg := err.Error()
	for k := range options {
		if strings.Contains(msg, `"`+k+`"`) {
			return Problem{k, fmt.Sprintf("%v has the wrong type: %s", options[k], msg)}
		}
	}
	return Problem{"", msg}
}

// none reports options of a kind that takes none.
func none(options map[string]any) []Problem {
	_, problems := decode(options, struct{}{})
	return problems
}
