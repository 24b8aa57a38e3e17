"""Reports: the cells of a run as tables, figures and one page."""
