package script

import (
	"strconv"
	"strings"
	"testing"
)

// foundBy is what an expression finds in a text with so many steps of the interpreter, as TestRegex writes it.
func foundBy(src, flags, text string, steps int) (found string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case outOfSteps:
			found = "no steps"
		default:
			panic(r)
		}
	}()
	re, err := compileRegex(src, flags)
	if err != nil {
		return "error"
	}
	p := &Page{steps: steps}
	pt := &pattern{re: re}
	t := plain(text)
	if !p.searched(pt, t) {
		return "not known"
	}
	all, known := p.finds(pt, t, false, maxItems)
	if !known {
		return "not known"
	}
	var out []string
	for _, at := range all {
		w := strconv.Itoa(at[0]) + ":"
		for i := 0; i < len(at); i += 2 {
			if i > 0 {
				w += "|"
			}
			if at[i] < 0 {
				w += "<none>"
			} else {
				w += text[at[i]:at[i+1]]
			}
		}
		out = append(out, w)
	}
	if out == nil {
		return "no"
	}
	return strings.Join(out, " ; ")
}

// TestRegex: what expressions find, and where, is what engines of browsers say (Node 20).
func TestRegex(t *testing.T) {
	for _, c := range []struct{ src, flags, text, want string }{
		{"a", "", "xab", "1:a"},
		{"abc", "", "xabcx", "1:abc"},
		{"a|ab", "", "abc", "0:a"},
		{"((a)|(ab))((c)|(bc))", "", "abc", "0:abc|a|a|<none>|bc|<none>|bc"},
		{"a[a-z]{2,4}", "", "abcdefghi", "0:abcde"},
		{"a[a-z]{2,4}?", "", "abcdefghi", "0:abc"},
		{"(aa|aabaac|ba|b|c)*", "", "aabaac", "0:aaba|ba"},
		{"(z)((a+)?(b+)?(c))*", "", "zaacbbbcac", "0:zaacbbbcac|z|ac|a|<none>|c"},
		{"(?=(a+))", "", "baaabac", "1:|aaa"},
		{`(?=(a+))a*b\1`, "", "baaabac", "3:aba|a"},
		{`(.*?)a(?!(a+)b\2c)\2(.*)`, "", "baaabaac", "0:baaabaac|ba|<none>|abaac"},
		{"(a*)*", "", "b", "0:|<none>"},
		{"(?:a*)*?$", "", "aab", "3:"},
		{"(a*)?", "", "b", "0:|<none>"},
		{"(?:)", "", "abc", "0:"},
		{"^", "", "abc", "0:"},
		{"$", "", "abc", "3:"},
		{"^a|b$", "", "cb", "1:b"},
		{"^b", "m", "a\nb", "2:b"},
		{"a$", "m", "a\nb", "0:a"},
		{"^$", "gm", "\n\n", "0: ; 1: ; 2:"},
		{".", "", "\n", "no"},
		{".", "s", "\n", "0:\n"},
		{".+", "", "ab\ncd", "0:ab"},
		{"[^]", "", "\n", "0:\n"},
		{"[]", "", "a", "no"},
		{"[^a]", "i", "A", "no"},
		{"[^a]+", "", "aab\nc", "2:b\nc"},
		{`\d+`, "", "ab123", "2:123"},
		{`\D+`, "", "12ab3", "2:ab"},
		{`\w+`, "", "-é_a1-", "3:_a1"},
		{`\W+`, "", "a-é-b", "1:-é-"},
		{`\s+`, "", "a \t\u00a0\u2003\ufeffb", "1: \t\u00a0\u2003\ufeff"},
		{`\S+`, "", " \u00a0abc ", "3:abc"},
		{`\bfoo\b`, "", "a foo b", "2:foo"},
		{`\bfoo\b`, "", "afoo foo", "5:foo"},
		{`\Boo`, "", "foo", "1:oo"},
		{`\b`, "", "", "no"},
		{`\B`, "", "", "0:"},
		{`a\b`, "", "aé", "0:a"},
		{"x*", "", "xxx", "0:xxx"},
		{"x*?", "", "xxx", "0:"},
		{"x+?y", "", "xxxy", "0:xxxy"},
		{"x??y", "", "xy", "0:xy"},
		{"(x??)y", "", "xy", "0:xy|x"},
		{"x{2}", "", "xxxx", "0:xx"},
		{"x{2,}", "", "xxxx", "0:xxxx"},
		{"x{2,3}", "", "xxxx", "0:xxx"},
		{"x{2,3}?", "", "xxxx", "0:xx"},
		{"x{0}", "", "x", "0:"},
		{"x{,3}", "", "x{,3}", "0:x{,3}"},
		{"x{", "", "x{", "0:x{"},
		{"{", "", "a{", "1:{"},
		{"}", "", "a}", "1:}"},
		{"]", "", "a]", "1:]"},
		{"a{1", "", "a{1", "0:a{1"},
		{"a{1,", "", "a{1,", "0:a{1,"},
		{"a{a}", "", "a{a}", "0:a{a}"},
		{`\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}`, "", "{{#if}}body{{/if}}{{#x}}y{{/x}}", "0:{{#if}}body{{/if}}|if|body"},
		{`(?<y>\d{4})-(?<m>\d\d)`, "", "on 2024-05-06", "3:2024-05|2024|05"},
		{`(?<a>.)\k<a>`, "", "abccd", "2:cc|c"},
		{`\k<a>(?<a>x)`, "", "x", "0:x|x"},
		{`\k<a>`, "", "k<a>", "0:k<a>"},
		{`\k`, "", "k", "0:k"},
		{`\1(a)`, "", "aa", "0:a|a"},
		{`(a\1)`, "", "aa", "0:a|a"},
		{"(?:(a)|b)*", "", "ab", "0:ab|<none>"},
		{"(?:(a)|(b))+", "", "ab", "0:ab|<none>|b"},
		{`(?:(a)|(b)|(c))*\1`, "", "abca", "0:abc|<none>|<none>|c"},
		{"(a)|b", "", "b", "0:b|<none>"},
		{`(a)|(b)\1`, "", "b", "0:b|<none>|b"},
		{`\2(a)(b)`, "", "ab", "0:ab|a|b"},
		{`\8`, "", "8", "0:8"},
		{`\9`, "", "9", "0:9"},
		{`\08`, "", "\u00008", "0:\u00008"},
		{`\3`, "", "\u0003", "0:\u0003"},
		{`\12`, "", "\n", "0:\n"},
		{`\101`, "", "A", "0:A"},
		{`\400`, "", " 0", "0: 0"},
		{`[\101]`, "", "A", "0:A"},
		{`\0`, "", "\u0000", "0:\u0000"},
		{`[\0]`, "", "\u0000", "0:\u0000"},
		{`\x41\x4a`, "", "AJ", "0:AJ"},
		{`\x4`, "", "x4", "0:x4"},
		{`\u0041`, "", "A", "0:A"},
		{`\u004`, "", "u004", "0:u004"},
		{`\u{41}`, "u", "A", "0:A"},
		{`\u{61}`, "", "uuuuu", "no"},
		{`\u{1f600}`, "u", "x😀", "1:😀"},
		{"^.$", "u", "😀", "0:😀"},
		{"[😀😁]", "u", "😁", "0:😁"},
		{`\ud83d\ude00`, "u", "😀", "0:😀"},
		{`\cC\cz`, "", "\u0003\u001a", "0:\u0003\u001a"},
		{`\c`, "", `\c`, `0:\c`},
		{`\c1`, "", `\c1`, `0:\c1`},
		{`[\c1]`, "", "\u0011", "0:\u0011"},
		{`[\c_]`, "", "\u001f", "0:\u001f"},
		{`[\c*]`, "", `\`, `0:\`},
		{`\e\-\:\"`, "", `e-:"`, `0:e-:"`},
		{`\p{L}`, "", "p{L}", "0:p{L}"},
		{`\p{L}+`, "u", "12čAж", "2:čAж"},
		{`\p{Lu}`, "u", "aČ", "1:Č"},
		{`\P{Lu}`, "u", "AČa", "3:a"},
		{`\p{Letter}+`, "u", "-é-", "1:é"},
		{`\p{Script=Latin}+`, "u", "жač", "2:ač"},
		{`\p{sc=Cyrl}+`, "u", "aжя", "1:жя"},
		{`\p{gc=Nd}+`, "u", "a12", "1:12"},
		{`\p{Alphabetic}+`, "u", "1a", "1:a"},
		{`\p{ASCII}+`, "u", "éab", "2:ab"},
		{`[^\p{L}]+`, "u", "a12é", "1:12"},
		{`[\p{L}\d_]+`, "u", "-é1_-", "1:é1_"},
		{`\p{White_Space}`, "u", "a b", "1: "},
		{"[[a-z]&&[aeiou]]+", "v", "xyzae", "3:ae"},
		{`[\w--\d]+`, "v", "12ab", "2:ab"},
		{`[\p{L}--[a-z]]+`, "v", "abČ", "2:Č"},
		{"[[a-c][x-z]]+", "v", "mbxm", "1:bx"},
		{"[^[a-c]x]+", "v", "abxmn", "3:mn"},
		{"[a-c]", "", "-b", "1:b"},
		{"[a-]", "", "-", "0:-"},
		{"[-a]", "", "-", "0:-"},
		{`[a\-c]+`, "", "b-ac", "1:-ac"},
		{`[\w-]+`, "", "+a-b", "1:a-b"},
		{`[\w-a]+`, "", "+a-b", "1:a-b"},
		{`[a-\d]+`, "", "b-1a", "1:-1a"},
		{`[\b]`, "", "\u0008", "0:\u0008"},
		{`[\]]`, "", "]", "0:]"},
		{"[[]", "", "[", "0:["},
		{`[^\]]+`, "", "]a]", "1:a"},
		{`[\\]`, "", `\`, `0:\`},
		{"[$^.*+?(){}|/]+", "", "a$^.*+?(){}|/b", "1:$^.*+?(){}|/"},
		{"(?=a)*", "", "a", "0:"},
		{"(?=a){2}a", "", "a", "0:a"},
		{"(?!a)b", "", "ab", "1:b"},
		{`(?!(a))\1b`, "", "b", "0:b|<none>"},
		{"(?:(?=(a)))?a", "", "a", "0:a|<none>"},
		{"q(?!u)", "", "quq", "2:q"},
		{"a(?=b)", "", "acab", "2:a"},
		{`foo(?!bar)\w*`, "", "foobar foobaz", "7:foobaz"},
		{`(?<=\$)\d+`, "", "x12 $34", "5:34"},
		{`(?<!\$)\b\d+`, "", "$12 34", "4:34"},
		{`(?<=(\d+)(\d+))$`, "", "1053", "4:|1|053"},
		{`(?<=\1(\w))d`, "", "aad", "2:d|a"},
		{`(?<=(\w){3})f`, "", "abcdef", "5:f|c"},
		{"(?<=^|,)[^,]*", "g", "a,b,,c", "0:a ; 2:b ; 4: ; 5:c"},
		{"(?<=a{2,3})b", "", "aaaab", "4:b"},
		{"(?<!abc)d", "", "abcd xd", "6:d"},
		{"(?<=ab|cd)e", "", "cde", "2:e"},
		{"(?<=a.*?)c", "", "abc", "2:c"},
		{"(?<=(?=b)b)c", "", "bc", "1:c"},
		{"(?<=é)x", "", "éx", "2:x"},
		{`(?<=\b)a`, "", "ba a", "3:a"},
		{"abc", "i", "xABc", "1:ABc"},
		{"[a-c]+", "i", "xABc", "1:ABc"},
		{"[^x]", "i", "Xa", "1:a"},
		{`\w+`, "i", "éA", "2:A"},
		{"é", "i", "É", "0:É"},
		{"ß", "i", "ß", "0:ß"},
		{"[à-þ]+", "i", "ÀÉÞ", "0:ÀÉÞ"},
		{"σ", "i", "ς", "0:ς"},
		{"ſ", "i", "s", "no"},
		{"ſ", "iu", "s", "0:s"},
		{"k", "iu", "\u212a", "0:\u212a"},
		{"k", "i", "\u212a", "no"},
		{`[^\W]`, "iu", "ſ", "0:ſ"},
		{`\w`, "iu", "\u212a", "0:\u212a"},
		{`\b`, "iu", "ſ", "0:"},
		{`(a)\1`, "i", "aA", "0:aA|a"},
		{"(é)\\1", "i", "éÉ", "0:éÉ|é"},
		{`(?<=\1(a))x`, "i", "Aax", "2:x|a"},
		{"Ж+", "i", "жЖ", "0:жЖ"},
		{"a.c", "y", "abc", "0:abc"},
		{"a.c", "y", "xabc", "no"},
		{"a", "g", "banana", "1:a ; 3:a ; 5:a"},
		{"(?:an)+", "g", "banana", "1:anan"},
		{`\d(?=(\d{3})+$)`, "g", "1234567", "0:1|567 ; 3:4|567"},
		{`\B(?=(\d{3})+(?!\d))`, "g", "1234567", "1:|567 ; 4:|567"},
		{"(?!^)[A-Z]", "g", "FooBarBaz", "3:B ; 6:B"},
		{"a*", "g", "baac", "0: ; 1:aa ; 3: ; 4:"},
		{"|a", "g", "ab", "0: ; 1: ; 2:"},
		{`^|\b`, "g", "a b", "0: ; 1: ; 2: ; 3:"},
		{"(a+)+b", "", "aaaab", "0:aaaab|aaaa"},
		{`((((((((((a))))))))))\10`, "", "aa", "0:aa|a|a|a|a|a|a|a|a|a|a"},
		{`(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\11`, "", "abcdefghija1", "no"},
		{"(?:a|b|c)+d", "", "abcabcd", "0:abcabcd"},
		{"(?:a?){3}b", "", "aab", "0:aab"},
		{"(?:a?)*?b", "", "aab", "0:aab"},
		{"(?:a*){2,3}", "", "aaa", "0:aaa"},
		{"(?:(a)|b){2}", "", "ab", "0:ab|<none>"},
		{"(?:(a)|b){2}?", "", "ba", "0:ba|a"},
		{"(?:ab){2,}?c", "", "ababc", "0:ababc"},
		{"(?:ab){0,2}", "", "ababab", "0:abab"},
		{"((a)|b)*?c", "", "abc", "0:abc|b|<none>"},
		{`^(?:\+|-)?\d+(?:\.\d+)?$`, "", "-12.50", "0:-12.50"},
		{`^([^:/?#]+:)?(\/\/[^/?#]*)?([^?#]*)(\?[^#]*)?(#.*)?$`, "", "https://a.cz/b/c?d=e#f", "0:https://a.cz/b/c?d=e#f|https:|//a.cz|/b/c|?d=e|#f"},
		{"[?&]([^=#]+)=([^&#]*)", "g", "/x?a=1&b=2#c", "2:?a=1|a|1 ; 6:&b=2|b|2"},
		{`^\s+|\s+$`, "g", "  ab  ", "0:   ; 4:  "},
		{`(\.\w+)?$`, "", "photo.jpg", "5:.jpg|.jpg"},
		{`\.(jpe?g|png|gif)(?=\?|$)`, "i", "/a.JPG?x", "2:.JPG|JPG"},
		{`<img[^>]+src=(["'])(.*?)\1`, "", `<img alt="a" src='/b".png'>`, `0:<img alt="a" src='/b".png'|'|/b".png`},
		{"([a-z])([A-Z])", "g", "fooBarBaz", "2:oB|o|B ; 5:rB|r|B"},
		{"%([0-9a-f]{2})", "gi", "%2Fa%3A", "0:%2F|2F ; 4:%3A|3A"},
		{`\/\*[\s\S]*?\*\/`, "g", "a/*b*/c/*d\n*/", "1:/*b*/ ; 7:/*d\n*/"},
		{"^(?!.*admin).*$", "", "/user/x", "0:/user/x"},
		{"(?:^|; )a=([^;]*)", "", "b=1; a=2; c=3", "3:; a=2|2"},
		{`(\d+)(?:px|em)(?!\w)`, "", "12pxx 13em", "6:13em|13"},
		{`["'][^"']*["']`, "g", `"a" 'b'`, `0:"a" ; 4:'b'`},
		{"(?<n>a)|(?<m>b)", "", "b", "0:b|<none>|b"},
		{"(?<$>a)", "", "a", "0:a|a"},
		{"(?<ž>a)\\k<ž>", "u", "aa", "0:aa|a"},
		{`^(?:(\d+)x)?\s*(\d+)$`, "", "5x 6", "0:5x 6|5|6"},
		{"a{2}{3}", "", "", "error"},
		{"a**", "", "", "error"},
		{"*a", "", "", "error"},
		{"(", "", "", "error"},
		{")", "", "", "error"},
		{"[", "", "", "error"},
		{"[b-a]", "", "", "error"},
		{"a{2,1}", "", "", "error"},
		{"(?<a", "", "", "error"},
		{"(?<1>a)", "", "", "error"},
		{"(?<a>x)(?<a>y)", "", "", "error"},
		{`(?<a>x)\k<b>`, "", "", "error"},
		{`(?<a>x)\k`, "", "", "error"},
		{`\`, "", "", "error"},
		{"{1}", "", "", "error"},
		{"^*", "", "", "error"},
		{`\b+`, "", "", "error"},
		{"(?<=a)*", "", "", "error"},
		{"a", "gg", "", "error"},
		{"a", "x", "", "error"},
		{"a", "uv", "", "error"},
		{"]", "u", "", "error"},
		{"{", "u", "", "error"},
		{`\-`, "u", "", "error"},
		{`\1`, "u", "", "error"},
		{`\u{110000}`, "u", "", "error"},
		{`[\w-a]`, "u", "", "error"},
		{"(?=a)*", "u", "", "error"},
		{`\p{Nothing}`, "u", "", "error"},
		{`\c`, "u", "", "error"},
		{`\01`, "u", "", "error"},
		{"(?a)", "", "", "error"},
		{"[a", "v", "", "error"},
		{"[(]", "v", "", "error"},
		{"[a&&b--c]", "v", "", "error"},
	} {
		if got := foundBy(c.src, c.flags, c.text, 1<<12); got != c.want {
			t.Errorf("/%s/%s in %q: %q, want %q", c.src, c.flags, c.text, got, c.want)
		}
	}
}

// TestRegexBounds: expressions that take long, or much memory, end when their steps do, or are not known.
func TestRegexBounds(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	for _, c := range []struct{ why, src, flags, text, want string }{
		{"loops in loops", `(a+)+$`, "", long[:60] + "!", "no steps"},
		{"loops of nothing", `(a*)*b`, "", long[:60], "no steps"},
		{"the same twice", `(a|a)*b`, "", long[:60], "no steps"},
		{"loops of references", `(a+)\1+$`, "", long + "!", "no steps"},
		{"loops behind", `(?<=(a+)+)b`, "", long[:60] + "!", "no"},
		{"loops behind what is there", `(?<=^(a+)+)[!]`, "", "b" + long[:60] + "!", "no steps"},
		{"counted loops", `(?:a{1000}){1000}b`, "", long, "no steps"},
		{"many times", `(?:a{1,1000000000}){1,1000000000}$`, "", long[:1000], "0:" + long[:1000]},
		{"many times nothing", `(?:){1000000000}`, "", "", "not known"},
		{"more than there are", `a{99999999999999999999}`, "", long, "no steps"},
		{"a long text", `a*`, "", long, "0:" + long},
		{"a long text of characters", `.*é`, "s", strings.Repeat("é", 50_000), "0:" + strings.Repeat("é", 50_000)},
		{"a long text, lazy", `^a*?$`, "", long, "0:" + long},
		{"a long text, in groups", `^(?:(a)|b)*$`, "", long[:20_000], "0:" + long[:20_000] + "|a"},
		{"too much to go back to", `^(?:(a)|b)*$`, "", long, "not known"},
		{"a long text without it", `b`, "g", long, "no"},
		{"nested", nest("(", "a", ")", 9000), "", "a", "error"},
		{"nested a little", nest("(?:", "a", ")*", 190), "", "aaa", "0:aaa"},
		{"nested looks", nest("(?=", "a", ")", 190), "", "aaa", "0:"},
		{"nested classes", nest("[", "a", "]", 9000), "v", "a", "error"},
		{"alternatives", strings.Repeat("x|", 8000) + "a", "", "a", "0:a"},
		{"alternatives of words", strings.Repeat("aaab|", 3000) + "b", "", long[:500], "no steps"},
		{"a long expression", strings.Repeat("a", maxRegex+1), "", "a", "error"},
		{"groups", nest("(", "", ")", 150), "", "", "0:" + strings.Repeat("|", 150)},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := foundBy(c.src, c.flags, c.text, 1<<16); got != c.want {
				t.Errorf("%.80q, want %.80q", got, c.want)
			}
		})
	}
}

// FuzzRegex looks for any expression in any text: it returns, within its steps, and what it finds are places in the text.
func FuzzRegex(f *testing.F) {
	for _, c := range [][3]string{
		{`(?<y>\d+)-(?<m>\d+)`, "g", "2024-05"}, {`\B(?=(\d{3})+(?!\d))`, "g", "1234567"}, {`\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}`, "g", "{{#a}}b{{/a}}"},
		{`(?<=\1(a))x|[^\W_]{2,3}?$`, "im", "Aax\nab"}, {`[\p{L}--[a-z]]+\u{61}`, "v", "ABa"}, {`(?:(a)|(b)|(c*))*\1`, "y", "abca"}, {`(?<!é.)[à-þ]+?\k<n>(?<n>\cA)`, "iu", "ÉxÀ"},
		{`((a*)*)*b`, "", "aaaaaaaaaaaaaaaaaaaaa"}, {`(?=a)*[\b-\d\x41-\u0061]{,2}\8\012`, "s", "\xff\xe2\x82a"}, {`(?i:a(?-i:b))+?`, "d", "AbAB"},
	} {
		f.Add(c[0], c[1], c[2])
	}
	f.Fuzz(func(t *testing.T, src, flags, text string) {
		foundBy(src, flags, text, 1<<12)
		re, err := compileRegex(src, flags)
		if err != nil {
			return
		}
		steps := 0
		m := &matcher{cost: func(n int) {
			if steps += n; steps > 1<<12 {
				panic(outOfSteps{})
			}
		}}
		defer func() {
			if r := recover(); r != nil && r != (outOfSteps{}) {
				t.Fatal(r)
			}
		}()
		at, _ := m.find(re, text, 0, false)
		for i := 0; i < len(at); i += 2 {
			if at[i] > at[i+1] || at[i+1] > len(text) || (at[i] < 0) != (at[i+1] < 0) {
				t.Fatalf("/%s/%s in %q: %v", src, flags, text, at)
			}
		}
	})
}
