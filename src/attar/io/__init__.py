"""Reading, writing, locks, arrays on disk and progress."""
