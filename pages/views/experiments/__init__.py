"""The views of the page on experiments."""
