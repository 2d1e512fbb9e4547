"""`python -m hunch` is `hunch`."""

from hunch.cli import main

if __name__ == "__main__":
    main()
