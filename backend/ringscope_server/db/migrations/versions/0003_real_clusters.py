"""Real clusters: how far a clock can be off, when a node leaves, when a member came how far, the rank to blame"""

import sqlalchemy as sa
from alembic import op

import ringscope_server.db.models


revision = '0003'
down_revision = '0002'
branch_labels = None
depends_on = None

TIME = ringscope_server.db.models.UtcDateTime(timezone=True)
MEMBER_TIMES = ('ready_at', 'running_at', 'ended_at', 'clean_at')
MEMBER_CLOCK = ('clock_offset_seconds', 'clock_error_seconds')


def upgrade() -> None:
    with op.batch_alter_table('nodes', schema=None) as batch_op:
        batch_op.add_column(sa.Column('clock_error_seconds', sa.Double(), nullable=True))
        batch_op.add_column(sa.Column('leaves_at', TIME, nullable=True))
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.add_column(sa.Column('bad_rank', sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column('is_hearsay', sa.Boolean(), nullable=False, server_default=sa.false()))
    with op.batch_alter_table('members', schema=None) as batch_op:
        for name in MEMBER_TIMES:
            batch_op.add_column(sa.Column(name, TIME, nullable=True))
        for name in MEMBER_CLOCK:
            batch_op.add_column(sa.Column(name, sa.Double(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table('members', schema=None) as batch_op:
        for name in reversed((*MEMBER_TIMES, *MEMBER_CLOCK)):
            batch_op.drop_column(name)
    with op.batch_alter_table('attempts', schema=None) as batch_op:
        batch_op.drop_column('is_hearsay')
        batch_op.drop_column('bad_rank')
    with op.batch_alter_table('nodes', schema=None) as batch_op:
        batch_op.drop_column('leaves_at')
        batch_op.drop_column('clock_error_seconds')
