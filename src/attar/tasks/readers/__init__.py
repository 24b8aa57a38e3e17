"""One file per form in which a dataset may lie on disk; each brings it to a `ColumnTable` with tidy column names."""
