"""The collectives that the ranks of scripts called"""

import sqlalchemy as sa
from alembic import op


revision = '0032'
down_revision = '0031'
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        'rank_collectives',
        sa.Column('attempt_id', sa.BigInteger().with_variant(sa.Integer(), 'sqlite'), nullable=False),
        sa.Column('rank', sa.Integer(), nullable=False),
        sa.Column('told', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_rank_collectives_attempt_id_attempts')),
        sa.PrimaryKeyConstraint('attempt_id', 'rank', name=op.f('pk_rank_collectives')),
    )


def downgrade() -> None:
    op.drop_table('rank_collectives')
