"""One module per command, each with a click command of its own name."""
