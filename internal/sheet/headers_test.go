package sheet

import "testing"

// What is for a proxy would go to every server: it is in a credential.
func TestHeadersOfProxies(t *testing.T) {
	for _, name := range []string{"Proxy-Authorization", "proxy-authorization", "Authorization"} {
		if ps := ValidHeaders(map[string]string{name: "Basic eA=="}); len(ps) != 1 {
			t.Errorf("%s: %v", name, ps)
		}
	}
}
