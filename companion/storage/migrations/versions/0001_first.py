"""Sittings, their journals, their phones."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "sitting",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("code", sa.String(6), nullable=False, unique=True),
        sa.Column("slug", sa.String(80), nullable=False),
        sa.Column("secret", sa.String(32), nullable=False),
        sa.Column("tap", sa.String(80), nullable=False, unique=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("opened_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "entry",
        sa.Column("sitting_id", sa.Integer, sa.ForeignKey("sitting.id"), primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True),
        sa.Column("tap", sa.String(80), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("phone", sa.Integer, nullable=False),
        sa.Column("command", sa.String(80), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.UniqueConstraint("sitting_id", "tap"),
    )
    op.create_table(
        "phone",
        sa.Column("sitting_id", sa.Integer, sa.ForeignKey("sitting.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.UniqueConstraint("sitting_id", "token_hash"),
    )
    op.create_index("ix_phone_token_hash", "phone", ["token_hash"])
    op.create_table(
        "kept",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
