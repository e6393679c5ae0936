"""What can be tapped, phase by phase."""
