"""A sentence that is decoded step by step."""
