"""`python -m linkprior`: the command, where its script is not on the path."""

from linkprior.cli import main

if __name__ == "__main__":
    main()
