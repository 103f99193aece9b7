"""One forward pass in one picture."""
