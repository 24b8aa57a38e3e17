"""The solvers behind scores: logistic regression and k-means."""
