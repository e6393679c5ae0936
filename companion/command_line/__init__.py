"""The `companion` command."""
