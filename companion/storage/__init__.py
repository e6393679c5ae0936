"""The journal on disk: SQLite or PostgreSQL."""
