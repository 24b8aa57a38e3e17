"""What `attar demo` shows: one small search, asked in other words, by the plain mean and by better recipes."""
