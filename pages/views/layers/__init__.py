"""The views of the lesson on layers."""
