"""Step parts: the time in which a rank waited for its samples, and its memory"""

import sqlalchemy as sa
from alembic import op


revision = '0024'
down_revision = '0023'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('steps', sa.Column('input_us', sa.Double(), nullable=True))
    op.add_column('steps', sa.Column('memory_bytes', sa.BigInteger(), nullable=True))
    op.add_column('rank_totals', sa.Column('input_us', sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column('rank_totals', 'input_us')
    op.drop_column('steps', 'memory_bytes')
    op.drop_column('steps', 'input_us')
