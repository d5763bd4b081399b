package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// TestRelevanceFindsSooner: with three in ten of the requests, relevance has found at
// least twice as many national pages as breadth first (issue 5).
func TestRelevanceFindsSooner(t *testing.T) {
	if os.Getenv("EXCLAVE_LONG") == "" {
		t.Skip("crawls 10,000 resources in each of several orders: EXCLAVE_LONG=1")
	}
	cmd := exec.Command("exclave", "bench", "order", "--json", "-")
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r orderReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, c := range r.Orders {
		found[c.Name] = c.Found[2] // 30 %
		if all := c.Found[len(c.Found)-1]; all != r.National {
			t.Errorf("%s: %d of %d national pages were found in the end", c.Name, all, r.National)
		}
	}
	if r.Shares[2] != 30 || found["breadth-first"] == 0 || found["relevance"] < 2*found["breadth-first"] {
		t.Errorf("after %d %% of the requests: %v national pages", r.Shares[2], found)
	}
}
