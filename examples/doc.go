// Package examples has a small program in each of several languages, with the
// grammar of its inputs. The README of each folder shows how to observe it.
package examples
