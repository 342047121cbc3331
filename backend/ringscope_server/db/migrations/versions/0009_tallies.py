"""Tallies: what an attempt's rows come to, so that a batch of them does not read those before it"""

import sqlalchemy as sa
from alembic import op


revision = '0009'
down_revision = '0008'
branch_labels = None
depends_on = None

INDEX = 'ix_measurements_middles'
OUT_OF_PLACE = sa.text('NOT in_place')


def upgrade() -> None:
    op.add_column('attempts', sa.Column('tally', sa.JSON(), nullable=True))
    op.create_index(
        INDEX,
        'measurements',
        ['attempt_id', 'size_bytes', 'algorithm', 'p50_us', 'id'],
        unique=False,
        sqlite_where=OUT_OF_PLACE,
        postgresql_where=OUT_OF_PLACE,
    )


def downgrade() -> None:
    op.drop_index(INDEX, table_name='measurements')
    op.drop_column('attempts', 'tally')
