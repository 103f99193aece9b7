"""What belongs to the tour: its questions, and its sheet to print."""
