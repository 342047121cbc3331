"""The judgement of a job's bandwidth beside the job"""

import sqlalchemy as sa
from alembic import op


revision = '0028'
down_revision = '0027'
branch_labels = None
depends_on = None

UNJUDGED = sa.text("judgement IS NULL AND state = 'succeeded' AND kind IN ('benchmark', 'imported')")


def upgrade() -> None:
    op.add_column('jobs', sa.Column('judgement', sa.Text(), nullable=True))
    op.create_index('ix_jobs_judgement_id', 'jobs', ['judgement', 'id'])
    op.create_index('ix_jobs_unjudged', 'jobs', ['id'], sqlite_where=UNJUDGED, postgresql_where=UNJUDGED)


def downgrade() -> None:
    op.drop_index('ix_jobs_unjudged', table_name='jobs')
    op.drop_index('ix_jobs_judgement_id', table_name='jobs')
    op.drop_column('jobs', 'judgement')
