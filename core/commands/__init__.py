"""The command line, one file a command: `add_arguments` says what it takes, `run` does it.

Torch takes seconds to import, and neither --help nor a refused option needs it: a command imports
what computes inside its functions.
"""
