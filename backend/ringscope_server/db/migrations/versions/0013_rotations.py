"""Rotations: a node's token that is to be replaced, and the secret that will take its place"""

import sqlalchemy as sa
from alembic import op

import ringscope_server.db.models


revision = '0013'
down_revision = '0012'
branch_labels = None
depends_on = None

INDEX = 'ix_tokens_next_sha256'
TIME = ringscope_server.db.models.UtcDateTime(timezone=True)


def upgrade() -> None:
    op.add_column('tokens', sa.Column('rotation_wanted_at', TIME, nullable=True))
    op.add_column('tokens', sa.Column('next_sha256', sa.Text(), nullable=True))
    op.create_index(INDEX, 'tokens', ['next_sha256'], unique=True)


def downgrade() -> None:
    op.drop_index(INDEX, table_name='tokens')
    op.drop_column('tokens', 'next_sha256')
    op.drop_column('tokens', 'rotation_wanted_at')
