"""How good a model is on held-out pairs, and how sure that is: without training or analysis."""

N_SAMPLES, SEED = 2000, 0
"""Of held-out samples, unless others are chosen."""
