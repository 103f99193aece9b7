"""The picture of the whole model on a page that computes it itself, without a server."""
