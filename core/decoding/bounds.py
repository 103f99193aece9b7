"""What the settings of decoding may be, and what they are by default."""

LARGEST_BEAM = 64
LARGEST_PENALTY = 10.0
PENALTY = 0.6
"""Exponent of the length penalty unless another one is chosen."""
TEMPERATURES = (0.01, 100.0)
"""Beyond these the distribution is one-hot or uniform for any scores that a model gives."""
PASSES = 4
"""The usual number of passes of a parallel decoder."""
MOST_PASSES = 64
CONTINUATION = 24
"""Number of tokens that a decoder alone writes after a prompt."""
