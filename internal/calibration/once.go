package calibration

// Weights fits to all rows, once; rows must have both classes.
func Weights(rows []Row, o Options) (Model, error) {
	all := make([]*Row, len(rows))
	for i := range rows {
		all[i] = &rows[i]
	}
	return fit(all, o)
}

// Folds gives each origin one of so many folds, as [Fit] does.
func Folds(rows []Row, folds int) map[string]int { return divide(rows, folds) }
