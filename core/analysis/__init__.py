"""What heads do, measured: a map is a hypothesis, silencing the head is the test."""
