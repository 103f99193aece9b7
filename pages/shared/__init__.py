"""What several pages use."""
