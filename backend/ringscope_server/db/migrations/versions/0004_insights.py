"""Insights: what was found wrong with a job, and how far ranks last said they are"""

import sqlalchemy as sa
from alembic import op

import ringscope_server.db.models


revision = '0004'
down_revision = '0003'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')
TIME = ringscope_server.db.models.UtcDateTime(timezone=True)
OPEN = sa.text('until IS NULL')


def upgrade() -> None:
    op.create_table(
        'insights',
        sa.Column('id', KEY, nullable=False),
        sa.Column('job_id', KEY, nullable=False),
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('kind', sa.Text(), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=True),
        sa.Column('node', sa.Text(), nullable=True),
        sa.Column('message', sa.Text(), nullable=False),
        sa.Column('evidence', sa.JSON(), nullable=False),
        sa.Column('since', TIME, nullable=False),
        sa.Column('until', TIME, nullable=True),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_insights_attempt_id_attempts')),
        sa.ForeignKeyConstraint(['job_id'], ['jobs.id'], name=op.f('fk_insights_job_id_jobs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_insights')),
    )
    with op.batch_alter_table('insights', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_insights_job_id'), ['job_id'], unique=False)
        batch_op.create_index(batch_op.f('ix_insights_attempt_id'), ['attempt_id'], unique=False)
        batch_op.create_index('ix_insights_active', ['job_id'], sqlite_where=OPEN, postgresql_where=OPEN)
    op.create_table(
        'pulses',
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('node_id', sa.Integer(), nullable=False),
        sa.Column('heard_at', TIME, nullable=False),
        sa.Column('time_us', sa.BigInteger(), nullable=False),
        sa.Column('ranks', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_pulses_attempt_id_attempts')),
        sa.ForeignKeyConstraint(['node_id'], ['nodes.id'], name=op.f('fk_pulses_node_id_nodes')),
        sa.PrimaryKeyConstraint('attempt_id', 'node_id', name=op.f('pk_pulses')),
    )


def downgrade() -> None:
    op.drop_table('pulses')
    op.drop_table('insights')
