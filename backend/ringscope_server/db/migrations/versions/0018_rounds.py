"""Rounds: the time of each round of a row, by which algorithms and jobs are compared"""

import sqlalchemy as sa
from alembic import op


revision = '0018'
down_revision = '0017'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('rounds_us', sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'rounds_us')
