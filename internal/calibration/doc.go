// Package calibration fits the weights of a profile's probability to labelled pages: logistic regression with
// an L2 penalty, solved by Newton's method (iteratively reweighted least squares; McCullagh and Nelder,
// Generalized Linear Models, 1989, 2.5) with an active set of the weights whose sign is given (Nocedal and
// Wright, Numerical Optimization, 2006, 16.5), and chooses the least probability of a valid page by the precision that is wanted.
//
// Invariants: deterministic, whatever the order of folds; pages of one origin are in one fold; what is
// reported of held-out pages was predicted by weights that had not seen their origin.
//
// Not here: which terms there are (the profile says it), reading labelled pages (labels).
package calibration
