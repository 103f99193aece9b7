"""The views of the page on heads."""
