"""The views of the page on heads: what is tried on them, and what it costs."""
