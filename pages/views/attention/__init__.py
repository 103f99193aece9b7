"""The views of the attention page."""
