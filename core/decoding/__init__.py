"""Writing a target one token at a time."""
