"""How good a model is on held-out pairs, and how sure that is: without training or analysis."""
