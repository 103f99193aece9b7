"""One step of gradient descent in the picture of the whole model."""
