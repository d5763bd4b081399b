// Package sharedtest finds the test data by other people that lies beside the
// checkout (../shared from the module root). It is imported by tests only and
// holds no state.
package sharedtest
