"""What an evening was, what evenings add up to, and their way out and back."""
