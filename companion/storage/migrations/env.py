"""Alembic runs this; the engine is handed in by the store."""

from alembic import context
from sqlmodel import SQLModel

from companion.storage import store  # noqa: F401  the rows must be known before their metadata is read

engine = context.config.attributes["engine"]
with engine.connect() as connection:
    context.configure(connection=connection, target_metadata=SQLModel.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
