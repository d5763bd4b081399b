package traps

import (
	"strings"

	"exclave/internal/urlx"
)

// session reports whether the URL has a session id that the page it was found on had
// with another value: each page then gives all its links new addresses. Ids that
// urlx.Rules.StripSessionIDs knows are left to it: the pages behind them are found once.
func (a *address) session() bool {
	name, id := sessionID(a.params)
	if id == "" {
		return false
	}
	if (urlx.Rules{StripSessionIDs: true}).Key(a.u) != (urlx.Rules{}).Key(a.u) {
		return false
	}
	via := a.via()
	if via == nil || via.Hostname() != a.u.Hostname() {
		return false
	}
	wasName, was := sessionID(split(via.Query()))
	return wasName == name && was != "" && was != id
}

// leastID is how many letters and digits a session id has at least: fewer are a choice
// among few.
const leastID = 12

// sessionID returns the parameter that is a session id, "" when there is none.
func sessionID(params []param) (name, id string) {
	for _, p := range params {
		switch {
		case len(p.value) < leastID || strings.Trim(p.value, "0123456789abcdefghijklmnopqrstuvwxyz") != "":
		case strings.HasSuffix(p.name, "sid"), strings.HasSuffix(p.name, "sessid"), p.name == "s", p.name == "session",
			strings.HasSuffix(p.name, "sessionid"), strings.HasSuffix(p.name, "session_id"), p.name == "zenid":
			return p.name, p.value
		}
	}
	return "", ""
}
