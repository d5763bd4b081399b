package markup

// jsonConstructs are those of JSON documents.
func jsonConstructs() []construct {
	return []construct{
		{"W3C appmanifest members", Manifest, `{"name":"N","start_url":"/?a","icons":[{"src":"i.png","sizes":"1x1"}],"screenshots":[{"src":"s.png"}],"shortcuts":[{"url":"/c","icons":[{"src":"j.png"}]}]}`,
			[]string{"E i.png manifest/icons", "E s.png manifest/screenshots", "L /?a manifest/start_url", "L /c manifest/shortcuts", "E j.png manifest/icons"}},
	}
}
