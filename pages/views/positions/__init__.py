"""The views of the lesson on positions."""
