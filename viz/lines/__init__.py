"""Two columns of tokens with a line for each weight."""
