package markup

import (
	"strings"
	"testing"

	"exclave/internal/growthtest"
)

// Pages whose expressions stand in attributes (ADR 117).
func TestViews(t *testing.T) {
	list := map[string]string{"l.json": `[{"n": 1, "on": true}, {"n": 2, "on": false}]`}
	checkAnswers(t, []answersRow{
		{"Alpine", `<div x-data="{ n: 1, get u() { return '/u/' + this.n + '.png' } }"><img :src="'/i/' + n + '.png'"><img x-bind:src="u"><template x-for="k in ['a', 'b']"><a :href="` + "`/k/${k}`" + `"></a></template></div>`, nil,
			[]string{"/i/1.png", "/k/a", "/k/b", "/u/1.png"}},
		{"Alpine with data of the page's, and what it asks for", `<body x-data="shop" x-init="load()"><template x-for="(p, i) in list" :key="p.n"><div x-data="{m: 3}"><img :src="'/p/' + p.n + '-' + i + '-' + m + '.png'"><button @click="more(p)"></button></div></template><script>document.addEventListener("alpine:init", () => { Alpine.data("shop", () => ({list: [], async load() { this.list = await (await fetch("l.json")).json() }, more(p) { fetch("/m/" + p.n + ".json") }})) })</script>`, list,
			[]string{"/m/1.json", "/m/2.json", "/p/1-0-3.png", "/p/2-1-3.png", "l.json"}},
		{"Alpine with a function of the page's, its init, stores, and what is not shown", `<div x-data="gallery(7)"><img :src="pic"><template x-if="false"><img :src="'/no/' + pic"></template><i x-text="pic"></i><b x-html="'<img src=/h/' + $store.s.v + '.png>'"></b><p :style="{ backgroundImage: 'url(/s/' + $store.s.v + '.png)' }"></div><img :src="'/out/' + 1"><script>function gallery(n) { return {pic: "", init() { this.pic = "/g/" + n + ".png" }} } document.addEventListener("alpine:init", () => Alpine.store("s", {v: 8}))</script>`, nil,
			[]string{"/g/7.png", "/h/8.png", "/s/8.png"}},
		{"petite-vue", `<div v-scope="shelf()" @vue:mounted="load"><p v-for="b in found"><img v-if="b.on" :src="'c/' + b.n + '.png'"><img v-else :src="'none/' + b.n + '.png'"></p></div><script type=module>import { createApp } from "https://unpkg.com/petite-vue?module"; createApp({shelf() { return {all: [], get found() { return this.all.filter(b => b.n) }, async load() { this.all = await fetch("l.json").then(r => r.json()) }} }}).mount()</script>`, list,
			[]string{"c/1.png", "l.json", "none/2.png"}},
		{"Vue 2", `<div id=app><img v-for="(i, n) in items" :src="base + i.f" :alt="n"><x-card v-for="i in items" :pic="i.f" kind="k"></x-card><img :src="both"></div><script>Vue.component("x-card", {props: ["pic", "kind"], template: '<p><img :src="\'/card/\' + kind + pic"></p>'}); new Vue({el: "#app", data: {base: "/b/", items: [{f: "1.png"}, {f: "2.png"}]}, computed: {both() { return this.base + this.items.length + ".gif" }}, mounted() { this.load() }, methods: {load() { fetch("l.json").then(r => r.json()).then(l => { this.items = this.items.concat(l.map(x => ({f: x.n + ".webp"}))) }) }}})</script>`, list,
			[]string{"/b/1.png", "/b/1.webp", "/b/2.gif", "/b/2.png", "/b/2.webp", "/b/4.gif", "/card/k1.png", "/card/k1.webp", "/card/k2.png", "/card/k2.webp", "l.json"}},
		{"Vue 3", `<div id=app><img v-for="i in list" :src="'/v/' + i.n + '.png'"><img :src="first"><a :href="'/' + tab"></a></div><script>const {createApp, ref, computed, onMounted} = Vue; createApp({setup() { const list = ref([]), tab = ref("t"), first = computed(() => "/f/" + list.value.length + ".png"); onMounted(async () => { list.value = await (await fetch("l.json")).json() }); return {list, first, tab} }}).mount("#app")</script>`, list,
			[]string{"/f/0.png", "/f/2.png", "/t", "/v/1.png", "/v/2.png", "l.json"}},
		{"Vue 3 as a module", `<div id=app><img :src="'/m/' + n + '.png'"></div><script type=module>import {createApp} from "https://unpkg.com/vue@3/dist/vue.esm-browser.js"; createApp({data() { return {n: 4} }}).mount("#app")</script>`, nil, []string{"/m/4.png"}},
		{"Knockout", `<ul data-bind="foreach: list"><li><img data-bind="attr: { src: 'b/' + n + '.png', alt: n }"><a data-bind="attr: { href: $root.to(n) }"></a><!-- ko if: on --><img data-bind="attr: {src: '/on/' + n}"><!-- /ko --></li></ul><!-- ko with: one --><img data-bind="attr: {src: '/one/' + name() + $parent.x}"><!-- /ko --><script>function Model() { var self = this; self.x = "x"; self.list = ko.observableArray(); self.one = ko.observable({name: ko.observable("o")}); self.to = function (n) { return "/to/" + n }; fetch("l.json").then(r => r.json()).then(function (l) { self.list(l) }) } ko.applyBindings(new Model())</script>`, list,
			[]string{"/on/1", "/one/ox", "/to/1", "/to/2", "b/1.png", "b/2.png", "l.json"}},
	})
}

// What shows itself, or very much, ends; an error in one expression is one of it alone.
func TestViewsAreBounded(t *testing.T) {
	ten := "{l: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]}"
	for why, c := range map[string]struct {
		page string
		most int
	}{
		"a large number":                    {`<p x-data><template x-for="i in 1e9"><img :src="'/n/' + i"></template>`, 256},
		"loops in loops":                    {`<p x-data="` + ten + `">` + strings.Repeat(`<template x-for="a in l">`, 60) + `<img :src="'/a/' + a">`, 10},
		"a component in itself":             {`<div id=app><x-a></x-a></div><script>Vue.component("x-a", {template: "<p><img :src=\"'/c/' + 1\"><x-a></x-a><x-a></x-a></p>"}); new Vue({el: "#app"})</script>`, 1},
		"what is mixed into itself":         {`<div id=app><img :src="'/m/' + n"></div><script>var a = {data: {n: 1}}, b = {mixins: [a, a], el: "#app"}; a.mixins = [b, b]; new Vue(b)</script>`, 1},
		"a component of Knockout in itself": {`<p data-bind="component: 'a'"></p><script>ko.components.register("a", {template: "<img data-bind=\"attr: {src: '/k/' + 1}\"><i data-bind=\"component: 'a'\"></i>"}); ko.applyBindings({})</script>`, 1},
		"expressions that throw":            {`<p x-data="{f() { throw 1 }}"><img :src="f()"><img :src="null.x"><img :src="))"><img :src="'/e/' + 1">`, 1},
	} {
		got, d := answered(c.page, nil)
		if len(got) == 0 || len(got) > c.most || d.Err != nil {
			t.Errorf("%s: %v %q", why, d.Err, brief(d.Links))
		}
	}
	growthtest.Linear(t, func(n int) []byte {
		return []byte(`<div x-data="` + ten + `">` + strings.Repeat(`<template x-for="a in l"><p x-data="{init() { this.a = a }}"><img :src="'/a/' + a + '.png'"></template><!-- ko if: x -->`, n/120))
	}, func(page []byte) { Parse(HTML, page, Options{URL: "http://x.test/d/"}) })
}
