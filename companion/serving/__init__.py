"""The processes that answer phones: the loop, its workers, and the one beside it for what takes long."""
