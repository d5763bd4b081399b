// Package jobtest has what tests of a job and of its rooms share: a small web on loopback, a job that crawls it without
// delays, and verification in several ways.
package jobtest
