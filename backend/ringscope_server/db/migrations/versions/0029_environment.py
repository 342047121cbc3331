"""A digest of a job's environment variables"""

import sqlalchemy as sa
from alembic import op


revision = '0029'
down_revision = '0028'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('jobs', sa.Column('env_sha256', sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column('jobs', 'env_sha256')
