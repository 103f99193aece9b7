"""A model drawn like the paper's Figure 1."""
