"""The functions of NCCL that executed a row"""

import sqlalchemy as sa
from alembic import op


revision = '0033'
down_revision = '0032'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('library_function', sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'library_function')
