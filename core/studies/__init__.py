"""What is found out about a model: a map is a hypothesis, silencing the head is the test.

Heads, effects of changing them, attribution, the numbers of the lessons, experiments, and models of
others that are opened. Nothing else in `core` but its commands imports it.
"""
