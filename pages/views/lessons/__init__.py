"""The views of the page Lessons, in the order of the paper."""
