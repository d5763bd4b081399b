// Package folder is a job's folder on disk: the names and the layout of what lies in it, the lock that one process
// at a time holds, the register of files that were moved away, and whether the job was ever begun. A [Folder]
// combines it with the configuration and with what every work on a job needs from its surroundings.
//
// It is the lowest room of package job: it opens no state and no archive, and everything else of a job is built on
// it. A Folder is a value; several goroutines may use it.
package folder
