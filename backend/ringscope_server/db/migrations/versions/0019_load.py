"""Load: the load average of a node, by which a job waits for quiet nodes"""

import sqlalchemy as sa
from alembic import op


revision = '0019'
down_revision = '0018'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('nodes', sa.Column('load_average', sa.Double(), nullable=True))


def downgrade() -> None:
    op.drop_column('nodes', 'load_average')
