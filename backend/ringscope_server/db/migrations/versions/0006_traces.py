"""Traces: operations followed transfer by transfer; what lists of jobs are filtered, counted and sorted by"""

import sqlalchemy as sa
from alembic import op


revision = '0006'
down_revision = '0005'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table(
        'traces',
        sa.Column('id', KEY, nullable=False),
        sa.Column('job_id', KEY, nullable=False),
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('collective', sa.Text(), nullable=False),
        sa.Column('algorithm', sa.Text(), nullable=False),
        sa.Column('chosen_algorithm', sa.Text(), nullable=True),
        sa.Column('transport', sa.Text(), nullable=False),
        sa.Column('in_place', sa.Boolean(), nullable=False),
        sa.Column('size_bytes', sa.BigInteger(), nullable=False),
        sa.Column('dtype', sa.Text(), nullable=False),
        sa.Column('started_at_ns', sa.BigInteger(), nullable=False),
        sa.Column('duration_ns', sa.BigInteger(), nullable=False),
        sa.Column('transfers', sa.JSON(), nullable=False),
        sa.Column('left_out', sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_traces_attempt_id_attempts')),
        sa.ForeignKeyConstraint(['job_id'], ['jobs.id'], name=op.f('fk_traces_job_id_jobs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_traces')),
    )
    with op.batch_alter_table('traces', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_traces_attempt_id'), ['attempt_id'], unique=False)
    op.add_column('jobs', sa.Column('collective', sa.Text(), nullable=True))
    # The default stays: to take it away SQLite would write all jobs anew.
    op.add_column('jobs', sa.Column('algorithms', sa.Text(), nullable=False, server_default=''))
    op.add_column('jobs', sa.Column('busbw_gb_per_s', sa.Double(), nullable=True))
    _take_out_of_json()


def _take_out_of_json() -> None:
    jobs = sa.table(
        'jobs',
        sa.column('collective', sa.Text()),
        sa.column('algorithms', sa.Text()),
        sa.column('busbw_gb_per_s', sa.Double()),
        sa.column('spec', sa.JSON()),
        sa.column('summary', sa.JSON()),
    )
    spec, best = jobs.c.spec, ('best', 0)
    named = spec[('benchmark', 'algorithms')].as_string()
    for character in '[]" ':
        named = sa.func.replace(named, character, '')
    is_measured = sa.func.coalesce(jobs.c.summary[(*best, 'transport')].as_string(), '') != 'simulated'
    op.execute(
        sa.update(jobs).values(
            collective=spec[('benchmark', 'collective')].as_string(),
            algorithms=sa.func.coalesce(named, spec[('training', 'all_reduce')].as_string(), ''),
            busbw_gb_per_s=sa.case((is_measured, jobs.c.summary[(*best, 'busbw_gb_per_s')].as_float())),
        )
    )


def downgrade() -> None:
    for name in ('busbw_gb_per_s', 'algorithms', 'collective'):
        op.drop_column('jobs', name)
    op.drop_table('traces')
