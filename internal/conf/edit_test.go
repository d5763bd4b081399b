package conf

import (
	"strings"
	"testing"
)

// TestSetNumbers: only the numbers change; what a person wrote around them stays.
func TestSetNumbers(t *testing.T) {
	const text = "# ž 1.5\n[a] # bias = 2\nbias=-1.5# why\n  min   =  0.9   # é\n[[a.term]]\nweight = 1_0 \nother = \"weight = 3\"\n[[a.term]]\nname = \"ž\"\nweight = +3\r\n[b]\nt = [ { weight = 1, x = 2 }, {weight=0x10} ]\n"
	got, err := SetNumbers([]byte(text), map[string]float64{"a.bias": 2, "a.min": 0.25, "a.term[0].weight": -3.125, "a.term[1].weight": 0, "b.t[1].weight": 7.5})
	want := strings.NewReplacer("bias=-1.5", "bias=2.0", "0.9 ", "0.25 ", "1_0", "-3.125", "+3", "0.0", "0x10", "7.5").Replace(text)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	for why, path := range map[string]string{"a key that is not there": "a.bios", "what is no number": "a.term[0].other", "a table": "b"} {
		if _, err := SetNumbers([]byte(text), map[string]float64{path: 1}); err == nil {
			t.Errorf("%s: no error", why)
		}
	}
}
