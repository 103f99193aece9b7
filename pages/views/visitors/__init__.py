"""What the teacher of a class sees of her visitors."""
