// Package webanalyzer reads the settings of the original WebAnalyzer, a file of Java
// properties, and makes a profile of them: ReadProperties reads the file, Import
// understands its keys.
//
// Invariants: a value that cannot be is an error with its line, never a default; what a
// profile has no place for is told, never dropped in silence; the profile that Import
// returns has no problems. No input makes it panic.
//
// There is no state. Not here: searchers (package analyzer).
package webanalyzer
