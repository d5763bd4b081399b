package metrics

// Names returns every name that begins with exclave_, in the order of the
// documentation.
func Names() []string {
	var names []string
	for _, m := range table() {
		names = append(names, m.name)
	}
	return append(names, buildInfo)
}

// Addr returns where the server listens.
func (s *Server) Addr() string { return s.addr.String() }
