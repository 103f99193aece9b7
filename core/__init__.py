"""The Transformer and all that is computed with it; knows nothing of pages or pictures."""
