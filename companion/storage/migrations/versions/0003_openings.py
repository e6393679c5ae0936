"""Tables that were opened in the last day, by address, which all workers count together."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "opening",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_opening_address", "opening", ["address"])
    op.create_index("ix_opening_at", "opening", ["at"])
