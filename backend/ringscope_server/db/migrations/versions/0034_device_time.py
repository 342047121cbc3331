"""The time of a row by the events of its GPUs"""

import sqlalchemy as sa
from alembic import op


revision = '0034'
down_revision = '0033'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('device_time_us', sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'device_time_us')
