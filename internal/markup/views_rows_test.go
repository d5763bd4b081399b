package markup

import (
	"strings"
	"testing"

	"exclave/internal/growthtest"
)

// Conditions of elements that are repeated, and lists that are written in lines.
func TestViewsChoose(t *testing.T) {
	app := func(s string) string {
		return `<div id=app>` + s + `</div><script>new Vue({el: "#app", data: {a: true, l: [1, 2]}})</script>`
	}
	checkAnswers(t, []answersRow{
		{"else, repeated", app(`<p v-if="a"></p><img v-else v-for="i in l" :src="'/no/' + i"><p v-if="!a"></p><img v-else v-for="i in l" :src="'/y/' + i">`), nil, []string{"/y/1", "/y/2"}},
		{"else, a template that is repeated", app(`<p v-if="a"></p><template v-else v-for="i in l"><img :src="'/no/' + i"></template><img :src="'/y/' + l.length">`), nil, []string{"/y/2"}},
		{"a chain that begins with what is repeated", app(`<p v-if="a"></p><p v-if="!a" v-for="i in l"></p><img v-else :src="'/y/' + 1">`), nil, []string{"/y/1"}},
		{"a condition of each", app(`<template v-for="i in l" v-if="i > 1"><img :src="'/y/' + i"></template>`), nil, []string{"/y/2"}},
		{"lines", "<div x-data='{l: [1]}'><template x-for='(x, i) in\n l'><img :src='`/i/${x}${i}`'></template></div>", nil, []string{"/i/10"}},
	})
}

// Long expressions in lists of lists are read no more often than short ones.
func TestLongViewsAreBounded(t *testing.T) {
	growthtest.Linear(t, func(n int) []byte {
		return []byte(`<div x-data>` + strings.Repeat(`<template x-for="i in 256">`, 2) + `<template x-for="(x` + strings.Repeat(",", n) + `) in 256"><i :src="1 /*` + strings.Repeat("*", n) + `*/"></template>`)
	}, func(page []byte) { Parse(HTML, page, Options{URL: "http://x.test/d/"}) })
}
