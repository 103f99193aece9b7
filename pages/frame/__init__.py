"""What all pages share."""

APP_NAME = "seq2see"
