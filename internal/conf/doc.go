// Package conf is the kit that every configuration is made with: what a [Problem] is,
// how a TOML text gets into structs ([Parse], [Decode]), what the Validate methods of
// these structs return, and how a value is written as TOML ([Literal]).
//
// A struct with settings has a Validate method with this signature, and no other:
//
//	func (c Config) Validate() conf.Problems
//
// It returns every value that cannot be, with the key within the struct. Whoever put the
// struct into a larger one says where it stands there ([Problems.Below]); whoever read a
// file says where the keys stand in the file ([Doc.Locate]).
//
// Invariants: every problem is reported, not the first; each has the key it is about; a
// key that no struct has is a problem, never ignored; what follows from a value that
// could not be read is not reported beside it ([Problems.Merge]).
//
// There is no state; all functions may be called concurrently. What is not here: any
// setting. The packages that use settings own them; package config composes job.toml of
// them, package analyzer the profiles.
package conf
