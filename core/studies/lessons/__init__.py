"""What the lessons compute: masks, positions, scaling, layers."""
