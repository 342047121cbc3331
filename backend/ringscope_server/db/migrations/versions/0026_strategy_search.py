"""The records of strategy searches: candidates and runs"""

import sqlalchemy as sa
from alembic import op


revision = '0026'
down_revision = '0025'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table(
        'search_records',
        sa.Column('id', KEY, nullable=False),
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('told', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(['attempt_id'], ['attempts.id'], name=op.f('fk_search_records_attempt_id_attempts')),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_search_records')),
    )
    op.create_index(op.f('ix_search_records_attempt_id'), 'search_records', ['attempt_id'])


def downgrade() -> None:
    op.drop_table('search_records')
