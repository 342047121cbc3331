"""Start limit: the limit that a part of an attempt's start exceeded"""

import sqlalchemy as sa
from alembic import op


revision = '0022'
down_revision = '0021'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('attempts', sa.Column('start_limit_seconds', sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column('attempts', 'start_limit_seconds')
