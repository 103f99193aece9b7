"""The views of the pages, one folder a page."""
