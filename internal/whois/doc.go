// Package whois asks WHOIS servers (RFC 3912) where a domain's registrant is, and remembers the answers (ADR 61).
//
// Invariants: a server is asked over one connection at a time, [Config.MinDelay] apart, at most [Config.PerHour] times; a question ends within
// [Config.Timeout], waiting for its turn included; at most 64 KiB of an answer are read; one referral is followed. Of an
// answer only lines that name a country are kept: the rest is about people. Answers are kept in memory and in a file, for
// [Config.TTL]: at most 20,000 of them, in the file twice as many lines before it is written anew.
//
// A Client may be used by several goroutines. Not here: what the lines mean (analyzer).
package whois
