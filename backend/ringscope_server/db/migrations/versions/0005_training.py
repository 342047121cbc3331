"""Training: samples and lag of steps, epochs, buckets of gradients, what the steps of a rank add up to"""

import sqlalchemy as sa
from alembic import op

import ringscope_server.db.models


revision = '0005'
down_revision = '0004'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')
TIME = ringscope_server.db.models.UtcDateTime(timezone=True)


def upgrade() -> None:
    # Not in batches: SQLite would write all steps anew.
    op.add_column('steps', sa.Column('samples', sa.Integer(), nullable=True))
    op.add_column('steps', sa.Column('lag', sa.Integer(), nullable=True))
    op.create_table(
        'epochs',
        sa.Column('id', KEY, nullable=False),
        sa.Column('job_id', KEY, nullable=False),
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('epoch', sa.Integer(), nullable=False),
        sa.Column('step', sa.Integer(), nullable=False),
        sa.Column('training_loss', sa.Double(), nullable=True),
        sa.Column('validation_loss', sa.Double(), nullable=True),
        sa.Column('validation_accuracy', sa.Double(), nullable=True),
        sa.Column('samples', sa.BigInteger(), nullable=False),
        sa.Column('duration_us', sa.Double(), nullable=False),
        sa.Column('validation_us', sa.Double(), nullable=False),
        sa.Column('checkpoint_us', sa.Double(), nullable=False),
        sa.Column('ended_at', TIME, nullable=False),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_epochs_attempt_id_attempts')),
        sa.ForeignKeyConstraint(['job_id'], ['jobs.id'], name=op.f('fk_epochs_job_id_jobs')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_epochs')),
    )
    with op.batch_alter_table('epochs', schema=None) as batch_op:
        batch_op.create_index(batch_op.f('ix_epochs_job_id'), ['job_id'], unique=False)
    op.create_table(
        'rank_buckets',
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('step', sa.Integer(), nullable=False),
        sa.Column('backward_us', sa.Double(), nullable=False),
        sa.Column('buckets', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_rank_buckets_attempt_id_attempts')),
        sa.PrimaryKeyConstraint('attempt_id', 'rank', name=op.f('pk_rank_buckets')),
    )
    op.create_table(
        'rank_totals',
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('first_step', sa.Integer(), nullable=False),
        sa.Column('last_step', sa.Integer(), nullable=False),
        sa.Column('samples', sa.BigInteger(), nullable=False),
        sa.Column('duration_us', sa.Double(), nullable=False),
        sa.Column('compute_us', sa.Double(), nullable=False),
        sa.Column('communication_us', sa.Double(), nullable=False),
        sa.Column('exposed_us', sa.Double(), nullable=False),
        sa.Column('last_loss', sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_rank_totals_attempt_id_attempts')),
        sa.PrimaryKeyConstraint('attempt_id', 'rank', name=op.f('pk_rank_totals')),
    )


def downgrade() -> None:
    op.drop_table('rank_totals')
    op.drop_table('rank_buckets')
    op.drop_table('epochs')
    op.drop_column('steps', 'lag')
    op.drop_column('steps', 'samples')
