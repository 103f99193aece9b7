"""The command line, one file a command: `add_arguments` says what it takes, `run` does it."""
