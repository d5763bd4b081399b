package markup

import "strings"

// vocabulary is a namespace whose references are known.
type vocabulary uint8

const (
	noVocabulary vocabulary = iota // no namespace
	unknownVocabulary
	vocXHTML
	vocSVG
	vocXSD
	vocXSI
	vocXSLT
	vocRELAXNG
	vocXInclude
	vocXLink
	vocXML
	vocAtom
	vocRSS1
	vocRSSContent
	vocMedia
	vocITunes
	vocSitemap
	vocSitemapImage
	vocSitemapVideo
	vocMathML
	vocWSDL
	vocKML
	vocRDF
	vocPodcast
	vocGPX
	vocOpenSearch
	vocDocBook
	vocODF
	vocWordML
	vocSpreadsheet
	vocSMIL
	vocASX // has no namespace
	vocXSPF
	vocTEI
	vocEAD
	vocMODS
	vocMARC
	vocDublinCore
	vocCreativeCommons
)

// vocabularyOf tells the vocabulary of a namespace name.
func vocabularyOf(name string) vocabulary {
	switch name {
	case "":
		return noVocabulary
	case "http://www.w3.org/1999/xhtml":
		return vocXHTML
	case "http://www.w3.org/2000/svg":
		return vocSVG
	case "http://www.w3.org/2001/XMLSchema", "http://www.w3.org/2000/10/XMLSchema":
		return vocXSD
	case "http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/2000/10/XMLSchema-instance":
		return vocXSI
	case "http://www.w3.org/1999/XSL/Transform":
		return vocXSLT
	case "http://relaxng.org/ns/structure/1.0":
		return vocRELAXNG
	case "http://www.w3.org/2001/XInclude", "http://www.w3.org/2003/XInclude":
		return vocXInclude
	case "http://www.w3.org/1999/xlink":
		return vocXLink
	case "http://www.w3.org/XML/1998/namespace":
		return vocXML
	case "http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#":
		return vocAtom
	case "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/":
		return vocRSS1
	case "http://purl.org/rss/1.0/modules/content/":
		return vocRSSContent
	case "http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss":
		return vocMedia
	case "http://www.itunes.com/dtds/podcast-1.0.dtd":
		return vocITunes
	case "http://www.sitemaps.org/schemas/sitemap/0.9", "https://www.sitemaps.org/schemas/sitemap/0.9", "http://www.google.com/schemas/sitemap/0.84",
		"http://www.google.com/schemas/sitemap/0.9":
		return vocSitemap
	case "http://www.google.com/schemas/sitemap-image/1.1":
		return vocSitemapImage
	case "http://www.google.com/schemas/sitemap-video/1.1":
		return vocSitemapVideo
	case "http://www.w3.org/1998/Math/MathML":
		return vocMathML
	case "http://schemas.xmlsoap.org/wsdl/", "http://www.w3.org/ns/wsdl":
		return vocWSDL
	case "http://www.opengis.net/kml/2.2", "http://earth.google.com/kml/2.2", "http://earth.google.com/kml/2.1", "http://earth.google.com/kml/2.0",
		"http://www.opengis.net/kml/2.3":
		return vocKML
	case "http://www.w3.org/1999/02/22-rdf-syntax-ns#":
		return vocRDF
	case "https://podcastindex.org/namespace/1.0", "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md":
		return vocPodcast
	case "http://www.topografix.com/GPX/1/1", "http://www.topografix.com/GPX/1/0":
		return vocGPX
	case "http://a9.com/-/spec/opensearch/1.1/", "http://a9.com/-/spec/opensearchdescription/1.1/", "http://a9.com/-/spec/opensearchdescription/1.0/":
		return vocOpenSearch
	case "http://docbook.org/ns/docbook":
		return vocDocBook
	case "http://schemas.microsoft.com/office/word/2003/wordml":
		return vocWordML
	case "urn:schemas-microsoft-com:office:spreadsheet":
		return vocSpreadsheet
	case "http://www.w3.org/ns/SMIL", "http://www.w3.org/2005/SMIL21/Language", "http://www.w3.org/2001/SMIL20/Language", "http://www.w3.org/2001/SMIL20/":
		return vocSMIL
	case "http://xspf.org/ns/0/", "http://xspf.org/ns/0":
		return vocXSPF
	case "http://www.tei-c.org/ns/1.0":
		return vocTEI
	case "urn:isbn:1-931666-22-9", "http://ead3.archivists.org/schema/", "http://ead3.archivists.org/schema/undeprecated/":
		return vocEAD
	case "http://www.loc.gov/mods/v3":
		return vocMODS
	case "http://www.loc.gov/MARC21/slim":
		return vocMARC
	case "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.0/":
		return vocDublinCore
	case "http://creativecommons.org/ns#", "http://web.resource.org/cc/":
		return vocCreativeCommons
	}
	if strings.HasPrefix(name, "urn:oasis:names:tc:opendocument:xmlns:") {
		return vocODF
	}
	return unknownVocabulary
}
