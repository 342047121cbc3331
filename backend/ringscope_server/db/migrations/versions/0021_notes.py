"""Notes: what people write about a job"""

import sqlalchemy as sa
from alembic import op


revision = '0021'
down_revision = '0020'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('jobs', sa.Column('note', sa.Text(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    op.drop_column('jobs', 'note')
