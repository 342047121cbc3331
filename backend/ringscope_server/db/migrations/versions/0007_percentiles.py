"""Percentiles: the tenth and the ninetieth of a row's iterations"""

import sqlalchemy as sa
from alembic import op


revision = '0007'
down_revision = '0006'
branch_labels = None
depends_on = None

COLUMNS = ('p10_us', 'p90_us')


def upgrade() -> None:
    with op.batch_alter_table('measurements', schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.add_column(sa.Column(name, sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('measurements', schema=None) as batch_op:
        for name in reversed(COLUMNS):
            batch_op.drop_column(name)
