"""One file per form in which a dataset may lie on disk; each brings it to a `Table` with tidy column names."""
