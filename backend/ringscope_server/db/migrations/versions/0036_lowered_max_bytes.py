"""The largest size of a row's sweep that fitted into memory"""

import sqlalchemy as sa
from alembic import op


revision = '0036'
down_revision = '0035'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('lowered_max_bytes', sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'lowered_max_bytes')
