// Package fsx is the one file system that Pebble, WARC files and logs are opened
// through (docs/adr/0011): the machine's (Real), one in memory that can crash
// (Mem), and a wrapper that makes the n-th operation fail (Faulty). On top of it
// are the two ways this program writes files that must not be lost: Append and
// WriteFileAtomic. FailPoints kills the process at a named place.
//
// Durability is what POSIX promises and no more: data after Sync of its file, a
// new, renamed or removed name after SyncDir of its directory.
//
// An FS is safe for concurrent use; an Append belongs to one goroutine at a
// time. Not here: locking between processes beyond vfs.FS.Lock, disk quotas.
package fsx
