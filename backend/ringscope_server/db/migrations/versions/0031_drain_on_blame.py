"""The share of nodes that the diagnoses of a schedule may drain"""

import sqlalchemy as sa
from alembic import op


revision = '0031'
down_revision = '0030'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('schedules', sa.Column('drain_on_blame', sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column('schedules', 'drain_on_blame')
