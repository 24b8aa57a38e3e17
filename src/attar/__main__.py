"""`python -m attar`."""

from attar.cli import main

if __name__ == "__main__":
    main()
