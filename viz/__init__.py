"""Pictures from arrays and labels: no model, no page."""
