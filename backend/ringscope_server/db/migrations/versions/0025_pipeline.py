"""The newest step of each rank of a pipeline, from inside"""

import sqlalchemy as sa
from alembic import op


revision = '0025'
down_revision = '0024'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table(
        'rank_pipeline_steps',
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('told', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ['attempt_id'], ['attempts.id'], name=op.f('fk_rank_pipeline_steps_attempt_id_attempts')
        ),
        sa.PrimaryKeyConstraint('attempt_id', 'rank', name=op.f('pk_rank_pipeline_steps')),
    )


def downgrade() -> None:
    op.drop_table('rank_pipeline_steps')
