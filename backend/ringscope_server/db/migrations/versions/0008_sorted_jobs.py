"""Sorted jobs: lists by bandwidth and by name read an index and not every job whole"""

from alembic import op


revision = '0008'
down_revision = '0007'
branch_labels = None
depends_on = None

COLUMNS = ('busbw_gb_per_s', 'name')


def upgrade() -> None:
    with op.batch_alter_table('jobs', schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.create_index(f'ix_jobs_{name}_id', [name, 'id'], unique=False)


def downgrade() -> None:
    with op.batch_alter_table('jobs', schema=None) as batch_op:
        for name in reversed(COLUMNS):
            batch_op.drop_index(f'ix_jobs_{name}_id')
