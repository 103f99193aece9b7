"""The views of the lesson on masks."""
