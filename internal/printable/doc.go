// Package printable keeps text of strangers (addresses, titles, evidence, names of files, errors of servers) from
// steering the terminal it is printed on: control characters and escape sequences, marks that change the direction
// of text, separators of lines and paragraphs, bytes that are no UTF-8. [Writer] stands before stdout and stderr of
// the program, so that no verb can forget it. What is not here: layout, and what a format for machines escapes itself.
package printable
