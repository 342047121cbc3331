"""Channels: in how many the rings or trees of a row went"""

import sqlalchemy as sa
from alembic import op


revision = '0015'
down_revision = '0014'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('channels', sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'channels')
