// Package verify proves that state, archive and logs of a job at rest agree, in both directions, and changes nothing.
// It reads a job through a [view.View]. What has to be compared is sorted on disk and read side by side, so that
// memory does not depend on the size of the job; the archive is read in parts by several workers (ADR 40).
package verify
