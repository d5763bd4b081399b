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

// What components of Vue are given, now and later, or not.
func TestViewsOfComponents(t *testing.T) {
	list := map[string]string{"l.json": `[{"n": 1}, {"n": 2}]`}
	app := func(options, page, data string) string {
		return `<div id=app>` + page + `</div><script>Vue.component("x-a", ` + options + `); new Vue({el: "#app", ` + data + `})</script>`
	}
	checkAnswers(t, []answersRow{
		{"what it has by now", app(`{props: ["items"], template: '<p><img v-for="i in items" :src="\'/x/\' + i.n"></p>'}`, `<x-a :items="items"></x-a>`, `data: {items: []}, async created() { this.items = await (await fetch("l.json")).json() }`), list, []string{"/x/1", "/x/2", "l.json"}},
		{"no attribute", app(`{props: ["src"], template: '<img :src="\'/x/\' + src">'}`, `<x-a :src="n"></x-a>`, `data: {n: "n.png"}`), nil, []string{"/x/n.png"}},
		{"names of things", app(`{template: '<b></b>'}`, `<x-a v-for="i in 2" :key="'/k/' + i" :class="'/c/' + i" :src="'/f/' + i"></x-a><i v-for="i in 2" :key="'/l/' + i" :class="'/c/' + i"></i>`, ``), nil, []string{"/f/1", "/f/2"}},
		{"all at once", app(`{props: ["pic"], data: function () { return {p: this.pic + ".png"} }, template: '<p><img :src="\'/c/\' + p"><img :src="\'/d/\' + $props.pic"></p>'}`, `<x-a v-bind="o"></x-a>`, `data: {o: {pic: "a"}}`), nil, []string{"/c/a.png", "/d/a"}},
		{"nothing", app(`{props: {l: {type: Array, default() { return [1] }}, big: Boolean, s: {type: String, default: "s"}, o: Object}, template: '<p><img v-for="i in l" :src="\'/x/\' + i + s"><img v-if="big || o" :src="\'/no/\' + s"></p>'}`, `<x-a></x-a>`, ``), nil, []string{"/x/1s"}},
		{"nothing of a list", app(`{props: ["big"], template: '<p><img v-if="big" :src="\'/no/\' + 1"><img v-else :src="\'/y/\' + 1"></p>'}`, `<x-a></x-a>`, ``), nil, []string{"/y/1"}},
		{"names that are not lower-case", app(`{props: ["bigPic"], template: '<p><img :src="\'/x/\' + bigPic"></p>'}`, `<x-b></x-b>`, `components: {XB: {template: '<x-a :bigPic="1 + 1"></x-a>'}}`), nil, []string{"/x/2"}},
	})
}

// Components that stand for other elements, rows in templates, and values that are watched from the beginning.
func TestViewsOfVue(t *testing.T) {
	row := `Vue.component("XRow", {props: ["n"], template: '<tr v-if="n"><td><img :src="\'/x/\' + n"></td></tr>'}); new Vue({el: "#app", data: {v: "XRow"}})`
	setup := func(s string) string {
		return `<div id=app><img :src="'/i/' + n"></div><script>const {createApp, ref, reactive, toRef, watch} = Vue; createApp({setup() { ` + s + ` }}).mount("#app")</script>`
	}
	checkAnswers(t, []answersRow{
		{"is", `<table id=app><tr is="x-row" v-for="i in 2" :n="i"></tr></table><script>` + row + `</script>`, nil, []string{"/x/1", "/x/2"}},
		{"is what is known", `<p id=app><component :is="v" :n="1"></component></p><script>` + row + `</script>`, nil, []string{"/x/1"}},
		{"names with capitals", `<p id=app><x-row :n="1"></x-row></p><script>` + row + `</script>`, nil, []string{"/x/1"}},
		{"rows in a script", `<p id=app><x-t></x-t></p><script type="text/x-template" id=t><tr v-for="i in 2"><td><img :src="'/x/' + i"></td></tr></script><script>Vue.component("x-t", {template: '#t'}); new Vue({el: "#app"})</script>`, nil, []string{"/x/1", "/x/2"}},
		{"rows of Knockout", `<table><tbody data-bind="template: {name: 'r', foreach: l}"></tbody></table><script type="text/html" id=r><tr data-bind="with: x"><td><img data-bind="attr: {src: '/tr/' + y}"></td></tr></script><script>ko.applyBindings({l: [{x: {y: 1}}]})</script>`, nil, []string{"/tr/1"}},
		{"toRef", setup(`const s = reactive({n: 1}); return {n: toRef(s, "n")}`), nil, []string{"/i/1"}},
		{"watch at once", setup(`const n = ref(3), o = {immediate: true}; watch(n, v => { fetch("/w/" + v) }, o); watch(() => n.value, v => { fetch("/v/" + v) }, o); watch(n, v => { fetch("/no/" + v) }); return {n}`), nil, []string{"/i/3", "/v/3", "/w/3"}},
	})
}

// What Alpine knows in an expression, keeps, and binds; its name is not that of a page's own modules.
func TestViewsOfAlpine(t *testing.T) {
	own := map[string]string{"alpine-tours.js": `export const base = "/own/"`}
	checkAnswers(t, []answersRow{
		{"the element of the expression", `<div data-u=r x-data="{init() { fetch('/r/' + this.$el.dataset.u) }}"><a data-u=x @click="fetch('/e/' + $el.dataset.u)"></a></div>`, nil, []string{"/e/x", "/r/r"}},
		{"what is kept", `<div x-data="{n: $persist(1).as('k')}"><img :src="'/p/' + n + '.png'"></div><div x-data="d"><img :src="'/q/' + n + $store.s.v + '.png'"></div><script>document.addEventListener("alpine:init", () => { Alpine.data("d", function () { return {n: this.$persist(2)} }); Alpine.store("s", {v: Alpine.$persist(3).using(sessionStorage)}) })</script>`, nil, []string{"/p/1.png", "/q/23.png"}},
		{"functions that are bound", `<div x-data="{a: {':src'() { return '/b/' + this.n + '.png' }, 'x-bind:alt': 'n', '@click'() {}}, n: 1}"><img x-bind="a"></div>`, nil, []string{"/b/1.png"}},
		{"a module of the page's own", `<div x-data></div><script type=module>import {base} from "./alpine-tours.js"; x.src = base + "1.png"</script>`, own, []string{"/own/1.png"}},
		{"Alpine as a module", `<div x-data="d"><img :src="'/i/' + n"></div><script type=module>import Alpine from "https://cdn.test/npm/alpinejs@3.13/dist/module.esm.min.js"; Alpine.data("d", () => ({n: 1})); Alpine.start()</script>`, nil, []string{"/i/1"}},
	})
}

// Components of Knockout by their own elements, those that ask for something, and what is around.
func TestViewsOfKnockout(t *testing.T) {
	list := map[string]string{"l.json": `[{"n": 1}]`}
	checkAnswers(t, []answersRow{
		{"an element of its own", `<x-w params="pic: p"></x-w><script>ko.components.register("x-w", {viewModel: function (params) { this.u = "/k/" + params.pic }, template: '<img data-bind="attr: {src: u}">'}); ko.applyBindings({p: 1})</script>`, nil, []string{"/k/1"}},
		{"an element that asks", `<x-w></x-w><script>ko.components.register("x-w", {viewModel: function () { var s = this; s.l = ko.observableArray(); fetch("l.json").then(r => r.json()).then(l => s.l(l)) }, template: '<i data-bind="foreach: l"><img data-bind="attr: {src: \'/l/\' + n}"></i>'}); ko.applyBindings({})</script>`, list, []string{"/l/1", "l.json"}},
		{"made, and one for all", `<p data-bind="component: {name: 'm', params: {pic: 1}}"></p><p data-bind="component: 'o'"></p><script>ko.components.register("m", {viewModel: {createViewModel: function (params) { return {u: "/m/" + params.pic} }}, template: '<img data-bind="attr: {src: u}">'}); ko.components.register("o", {viewModel: {instance: {u: "/o/" + 1}}, template: '<img data-bind="attr: {src: u}">'}); ko.applyBindings({})</script>`, nil, []string{"/m/1", "/o/1"}},
		{"around", `<!-- ko foreach: a --><!-- ko foreach: b --><img data-bind="attr: {src: $parents[1].base + $parent.n + $data + $index() + $parentContext.$index()}"><!-- /ko --><!-- /ko --><script>ko.applyBindings({base: "/ps/", a: [{n: "n", b: [7]}]})</script>`, nil, []string{"/ps/n700"}},
	})
}

// Files that begin with Knockout, or speak of Alpine, and do more are run.
func TestViewsInBundles(t *testing.T) {
	const head, end = "/*!\n * Knockout JavaScript library v3.5.1\n */\n(function(){ var a = {b: function () {}}; ", `a.b("jqueryTmplTemplateEngine", a.$a)})();`
	files := map[string]string{
		"bundle.js": head + end + strings.Repeat(" ", 700) + `fetch("/after/" + 1)`,
		"ko.js":     head + `fetch("/ko/" + 1); ` + end,
		"own.js":    `document.addEventListener("alpine:init", () => { Alpine.store("m", {v: 5}); q.innerHTML = '<template x-teleport="body"></template>'; fetch("/own/" + 1) })`,
	}
	checkAnswers(t, []answersRow{
		{"a bundle", `<script src=bundle.js></script>`, files, []string{"/after/1"}},
		{"Knockout alone", `<img data-bind="attr: {src: '/x/' + n}"><script src=ko.js></script><script>ko.applyBindings({n: 1})</script>`, files, []string{"/x/1"}},
		{"for Alpine", `<b id=q></b><p x-data><img :src="'/s/' + $store.m.v"></p><script src=own.js></script>`, files, []string{"/own/1", "/s/5"}},
	})
}

// What stands in a view's own element, or in place of what is in it.
func TestViewsThemselves(t *testing.T) {
	checkAnswers(t, []answersRow{
		{"Vue 2", `<div id=app :style="{backgroundImage: 'url(/r/' + n + '.png)'}"></div><script>new Vue({el: "#app", data: {n: 1}})</script>`, nil, []string{"/r/1.png"}},
		{"Vue 3 does not", `<div id=app :style="{backgroundImage: 'url(/no/' + n + '.png)'}"><img :src="'/i/' + n"></div><script>Vue.createApp({data: () => ({n: 1})}).mount("#app")</script>`, nil, []string{"/i/1"}},
		{"a template of petite-vue", `<div v-scope="C(1)"></div><template id=t><img :src="'/pt/' + n + '.png'"><b v-scope="C(2)"></b></template><script type=module>import { createApp } from "https://unpkg.com/petite-vue?module"; createApp({C(n) { return {$template: "#t", n} }}).mount()</script>`, nil, []string{"/pt/1.png", "/pt/2.png"}},
	})
}
