"""NCCL's report of a row's network, channels and transports"""

import sqlalchemy as sa
from alembic import op


revision = '0035'
down_revision = '0034'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('nccl_report', sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'nccl_report')
