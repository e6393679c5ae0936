"""`python -m companion` is the `companion` command."""

import sys

from companion.command_line.main import main

if __name__ == "__main__":
    sys.exit(main())
