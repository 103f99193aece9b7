"""What all components share: framing, mounting, tokens, tooltip, drawings, a page of its own."""
