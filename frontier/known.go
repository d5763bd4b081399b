package frontier

// How many URIs of a host and of its registered domain are known, and how many of them are valid
// pages.
