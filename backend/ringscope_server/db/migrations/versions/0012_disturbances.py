"""Disturbances: what else a node did while a job was measured, and how many cores its ranks had"""

import sqlalchemy as sa
from alembic import op


revision = '0012'
down_revision = '0011'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('cores', sa.Integer(), nullable=True))
    op.add_column('attempts', sa.Column('disturbed_by', sa.Text(), nullable=True))
    op.add_column('members', sa.Column('load', sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column('members', 'load')
    op.drop_column('attempts', 'disturbed_by')
    op.drop_column('measurements', 'cores')
