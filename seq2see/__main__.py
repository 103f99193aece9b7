"""`python -m seq2see`: the same as the command `seq2see`."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
