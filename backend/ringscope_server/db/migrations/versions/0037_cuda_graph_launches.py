"""The launches of the CUDA graph of a row's blocks"""

import sqlalchemy as sa
from alembic import op


revision = '0037'
down_revision = '0036'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('measurements', sa.Column('cuda_graph_launches', sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column('measurements', 'cuda_graph_launches')
