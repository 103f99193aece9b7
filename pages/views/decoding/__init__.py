"""What the decoding page shows."""
