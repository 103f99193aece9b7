"""What becomes of a model's answers when its heads are changed."""
