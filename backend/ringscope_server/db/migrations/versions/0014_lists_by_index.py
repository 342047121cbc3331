"""Lists by index: jobs in the order of their ranks, and those that ended since a time; only successes have a speed"""

from alembic import op


revision = '0014'
down_revision = '0013'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index('ix_jobs_ranks_id', 'jobs', ['ranks', 'id'])
    op.create_index('ix_jobs_finished_at', 'jobs', ['finished_at'])
    op.execute("UPDATE jobs SET busbw_gb_per_s = NULL WHERE state <> 'succeeded'")


def downgrade() -> None:
    op.drop_index('ix_jobs_finished_at', table_name='jobs')
    op.drop_index('ix_jobs_ranks_id', table_name='jobs')
