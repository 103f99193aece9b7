"""The views of the lesson on scaling."""
