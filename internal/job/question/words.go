package question

import (
	"fmt"

	"exclave/internal/traps"
)

// refusedWords says in words why a rule of the scope refused a URL, "" of those whose reason is what job.toml lists.
func refusedWords(rule string) string {
	switch rule {
	case "too-many-hops":
		return "it is too many links from a seed"
	case "too-many-path-segments":
		return "its path has too many folders"
	case "pathological-path":
		return "folders of its path follow each other again and again"
	case "shape":
		return "pages at addresses of its form brought nothing, one after the other"
	case "none":
		return "no rule accepted it"
	}
	trap := map[string]string{
		string(traps.Length):   "its address is too long",
		string(traps.Cycle):    "a folder stands in its path too often",
		string(traps.Index):    "it is the list of a folder in another order",
		string(traps.Session):  "it has another session id than its page",
		string(traps.Actions):  "it is a form, or another view of a page",
		string(traps.Search):   "it searches for many words",
		string(traps.Calendar): "it is a page of a calendar far from today",
		string(traps.Facets):   "it combines filters of a list",
		string(traps.Pages):    "it is a page of a list that has too many",
	}
	for name, words := range trap {
		if rule == "traps:"+name {
			return words + ", as traps have without end"
		}
	}
	return ""
}

// inWords puts words behind what they explain.
func inWords(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
