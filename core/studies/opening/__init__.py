"""Models of other libraries as runs: where they come from, what they need, and how they get in."""
