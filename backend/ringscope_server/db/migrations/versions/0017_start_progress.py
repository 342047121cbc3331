"""Start progress: when the last part of an attempt's start was over, from which the next one's limit counts"""

import sqlalchemy as sa
from alembic import op

from ringscope_server.db.models import UtcDateTime


revision = '0017'
down_revision = '0016'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column('attempts', sa.Column('progressed_at', UtcDateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column('attempts', 'progressed_at')
