"""Rules look-up: the ruling that answers a question, however a player words it."""
