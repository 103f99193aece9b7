"""What becomes of a model's answers when its heads are changed."""

N_SENTENCES = 400
"""On which heads are silenced, unless another number is chosen."""
