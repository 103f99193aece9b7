"""How text becomes tokens, and tokens text."""
