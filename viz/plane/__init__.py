"""Rows and columns of cells: attention maps, labelled matrices, strips."""
