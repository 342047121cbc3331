"""Tuning: the times that a gang's auto chooses by, kept with its attempt"""

import sqlalchemy as sa
from alembic import op


revision = '0010'
down_revision = '0009'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('attempts', sa.Column('tuning', sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column('attempts', 'tuning')
