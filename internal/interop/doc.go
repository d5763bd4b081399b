// Package interop holds the tests that give what a crawl has made to programs of
// other people: warcio, jwarc, pywb, py-wacz, and with pywb and ReplayWeb.page a browser. It holds nothing
// else. Which versions they have, and how they are installed, is in .ci/tools.sh;
// where they are is told by the environment (package sharedtest).
package interop
