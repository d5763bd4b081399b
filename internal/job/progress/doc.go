// Package progress tells people how far a crawl, or a verification, has come: a line that is renewed on a terminal,
// a meter of the rate of the last seconds, and progress-statistics.log in Heritrix's layout
// (docs/formats/progress-statistics.md). What it tells is given to it: it knows neither job nor state.
package progress
