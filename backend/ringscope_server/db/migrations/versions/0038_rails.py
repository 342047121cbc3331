"""The rail of a measured pair of nodes"""

import sqlalchemy as sa
from alembic import op


revision = '0038'
down_revision = '0037'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('link_measurements', sa.Column('rail', sa.Integer(), nullable=True))


def downgrade() -> None:
    # Without its rail such a row would count for the nodes as wholes.
    op.execute('DELETE FROM link_measurements WHERE rail IS NOT NULL')
    op.drop_column('link_measurements', 'rail')
