"""A training's curves with a handle on them."""
