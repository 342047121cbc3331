"""Node minutes: the mean load of each node in each minute of the last day"""

import sqlalchemy as sa
from alembic import op

from ringscope_server.db.models import UtcDateTime


revision = '0020'
down_revision = '0019'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'node_minutes',
        sa.Column('node_id', sa.Integer(), nullable=False),
        sa.Column('minute', UtcDateTime(timezone=True), nullable=False),
        sa.Column('load_average', sa.Double(), nullable=True),
        sa.Column('memory_used_bytes', sa.BigInteger(), nullable=True),
        sa.Column('network_bytes_per_second', sa.Double(), nullable=True),
        sa.Column('gpu_utilization_ratio', sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ['node_id'], ['nodes.id'], name=op.f('fk_node_minutes_node_id_nodes'), ondelete='CASCADE'
        ),
        sa.PrimaryKeyConstraint('node_id', 'minute', name=op.f('pk_node_minutes')),
    )
    op.create_index(op.f('ix_node_minutes_minute'), 'node_minutes', ['minute'])


def downgrade() -> None:
    op.drop_index(op.f('ix_node_minutes_minute'), table_name='node_minutes')
    op.drop_table('node_minutes')
