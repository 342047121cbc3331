"""Link lifetimes: how long the session lasts that somebody begins with a login link"""

import sqlalchemy as sa
from alembic import op


revision = '0016'
down_revision = '0015'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('tokens', sa.Column('session_seconds', sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column('tokens', 'session_seconds')
