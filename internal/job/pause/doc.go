// Package pause knows why a running crawl is paused: a person asked for it, its disk is nearly full, or no name server
// answers. [Reasons] keeps what holds at the moment and pauses the crawl as long as anything does; [Disk] and [Names] watch
// for the reasons that come and go by themselves. It steers a crawl by a function it is given, and knows no job.
package pause
