package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"exclave/internal/testweb"
	"exclave/internal/urlx"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// look is a way to show a page.
type look struct {
	name    string
	scripts bool
	width   int64
	ratio   float64 // of pixels
	mobile  bool
	media   string
	dark    bool
}

// looks: what the first two ask for must be found. All of them tell what a browser could ask for.
var looks = []look{
	{name: "without scripts", width: 1000, ratio: 1, media: "screen"},
	{name: "with scripts", scripts: true, width: 1000, ratio: 1, media: "screen"},
	{name: "telephone", scripts: true, width: 380, ratio: 2, mobile: true, media: "screen", dark: true},
	{name: "paper", width: 3000, ratio: 1, media: "print"},
}

const (
	withoutScripts, withScripts, measured = 0, 1, 2 // indexes of looks; so many count

	quiet   = 600 * time.Millisecond // of the network, after which a page is taken to be complete
	longest = 40 * time.Second       // that a page may take to be quiet
	height  = 3000                   // of the window: what is loaded when it comes into view is in view
)

// browser is Chromium with a server that it takes for the whole web.
type browser struct {
	server *testweb.Server
	ctx    context.Context
	close  func()
}

// open starts a server of the web and a browser. Names, whatever they are, lead to the server.
func open(web testweb.Web, chromium string) (*browser, error) {
	server, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		return nil, err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1000, height),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-features", "site-per-process,Translate,BlinkGenPropertyTrees,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,OptimizationHints,AutofillServerCommunication"), chromedp.Flag("ignore-certificate-errors", true), chromedp.Flag("autoplay-policy", "no-user-gesture-required"),
		chromedp.Flag("host-resolver-rules", "MAP *:80 "+server.HTTPAddr()+",MAP *:443 "+server.HTTPSAddr()+",MAP * "+server.HTTPAddr()))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeTab := chromedp.NewContext(ctx)
	b := &browser{server, ctx, func() {
		closeTab()
		stop()
		_ = server.Close() // nobody asks it any more
	}}
	if err := chromedp.Do(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// asked shows a page and returns what was asked for, in order, without the page itself: what the browser says, and what reached the
// server, workers and frames of other sites among it.
func (b *browser) asked(url string, how look) ([]string, error) {
	tab, done := chromedp.NewContext(b.ctx)
	defer done()
	if err := chromedp.Do(tab); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var all []string
	last := time.Now()
	if err := chromedp.Listen(tab, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			all = append(all, ev.Request.URL)
			last = time.Now()
		case *network.EventLoadingFinished, *network.EventLoadingFailed:
			last = time.Now()
		}
	}); err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(tab, longest)
	defer cancel()
	if err := how.apply(limit); err != nil {
		return nil, err
	}
	before := len(b.server.Log())
	if err := chromedp.Do(limit, chromedp.Navigate(url)); err != nil && limit.Err() == nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	hits := before
	for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
		now := len(b.server.Log())
		mu.Lock()
		if now != hits {
			hits, last = now, time.Now()
		}
		over := time.Since(last) > quiet
		mu.Unlock()
		if over || limit.Err() != nil {
			tick.Stop()
			break
		}
	}
	if limit.Err() != nil {
		return nil, fmt.Errorf("%s: it was not quiet in %v", url, longest)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, hit := range b.server.Log()[before:] {
		if !ofBrowser(hit.Host) {
			all = append(all, hit.URL)
		}
	}
	var out []string
	for _, raw := range all {
		u, err := urlx.Parse(raw)
		if err != nil || strings.HasSuffix(raw, "/favicon.ico") {
			continue
		}
		if s := u.WithoutUserinfo().WithoutFragment().String(); s != url && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// apply makes a tab show pages so.
func (l look) apply(ctx context.Context) error {
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !l.scripts}); err != nil {
		return err
	}
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: height, DeviceScaleFactor: l.ratio, Mobile: l.mobile}); err != nil {
		return err
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: l.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	return err
}

// ofBrowser reports hosts that Chromium asks by itself, for accounts and models.
func ofBrowser(host string) bool {
	switch host {
	case "accounts.google.com", "clients2.google.com", "optimizationguide-pa.googleapis.com", "content-autofill.googleapis.com", "update.googleapis.com", "safebrowsing.googleapis.com":
		return true
	}
	return false
}
