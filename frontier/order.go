package frontier

import "time"

// roundFull reports whether no further URI is to be asked for in this round. f.mu is
// held.
func (f *Frontier) roundFull() bool {
	n := f.order.RoundURLs
	return n > 0 && f.st.RoundUsed+uint64(len(f.process)) >= uint64(n)
}

// nextRound begins the next round, unless that was the last or there is nothing for it: hosts that
// rest on disk keep others from no round, nor do they need one before they may be asked, unless
// this one is full. f.mu is held, and nothing is being committed.
func (f *Frontier) nextRound() bool {
	left := f.st.InLine
	if f.roundFull() {
		left += f.st.Snoozed
	}
	if !f.order.HasRounds() || f.order.Rounds > 0 && f.st.Round+1 >= uint64(f.order.Rounds) || f.st.RoundUsed == 0 || left == 0 {
		return false
	}
	f.st.Round, f.st.RoundUsed = f.st.Round+1, 0
	return true
}

// wall is the time by which hosts rest: that of the wall when the state was opened,
// and monotonic from there.
func (f *Frontier) wall() time.Time { return f.openedAt.Add(f.o.Clock.Mono() - f.opened) }
