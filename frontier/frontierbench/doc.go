// Package frontierbench measures the frontier without a network: how fast candidates
// become durable, how fast URIs are handed out and finished, what both cost in memory
// and on disk, and how long opening takes (exclave bench frontier).
package frontierbench
