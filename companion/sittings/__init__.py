"""A sitting while it is played: the one door between the web and the rules."""
