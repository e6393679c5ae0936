"""Where phones find us, and how processes tell each other that a sitting moved on."""
