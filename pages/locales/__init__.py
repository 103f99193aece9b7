"""What the app says in other languages: one folder a language."""
