"""Intervals: how sure the mean of a row is; tallies keep it, and need no index of medians any more"""

import sqlalchemy as sa
from alembic import op


revision = '0011'
down_revision = '0010'
branch_labels = None
depends_on = None

COLUMNS = ('time_low_us', 'time_high_us', 'p5_us')
INDEX = 'ix_measurements_middles'
OUT_OF_PLACE = sa.text('NOT in_place')


def upgrade() -> None:
    op.drop_index(INDEX, table_name='measurements')
    with op.batch_alter_table('measurements', schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.add_column(sa.Column(name, sa.Double(), nullable=True))
    # A tally of before is made anew with the next row.
    op.execute('UPDATE attempts SET tally = NULL')


def downgrade() -> None:
    op.execute('UPDATE attempts SET tally = NULL')
    with op.batch_alter_table('measurements', schema=None) as batch_op:
        for name in reversed(COLUMNS):
            batch_op.drop_column(name)
    op.create_index(
        INDEX,
        'measurements',
        ['attempt_id', 'size_bytes', 'algorithm', 'p50_us', 'id'],
        unique=False,
        sqlite_where=OUT_OF_PLACE,
        postgresql_where=OUT_OF_PLACE,
    )
