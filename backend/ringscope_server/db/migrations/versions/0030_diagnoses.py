"""The measured pairs and the verdicts of diagnoses"""

import sqlalchemy as sa
from alembic import op


revision = '0030'
down_revision = '0029'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')


def upgrade() -> None:
    op.create_table(
        'link_measurements',
        sa.Column('id', KEY, nullable=False),
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('job_id', KEY, nullable=False),
        sa.Column('round', sa.Integer(), nullable=False),
        sa.Column('first_node_id', sa.Integer(), nullable=False),
        sa.Column('second_node_id', sa.Integer(), nullable=False),
        sa.Column('ending', sa.Text(), nullable=False),
        sa.Column('is_loaded', sa.Boolean(), nullable=False),
        sa.Column('size_bytes', sa.BigInteger(), nullable=False),
        sa.Column('both_ways', sa.Boolean(), nullable=False),
        sa.Column('there', sa.JSON(), nullable=True),
        sa.Column('back', sa.JSON(), nullable=True),
        sa.Column('latency_us', sa.Double(), nullable=True),
        sa.Column('measured_at', sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ['attempt_id'], ['attempts.id'], name=op.f('fk_link_measurements_attempt_id_attempts')
        ),
        sa.ForeignKeyConstraint(['job_id'], ['jobs.id'], name=op.f('fk_link_measurements_job_id_jobs')),
        sa.ForeignKeyConstraint(
            ['first_node_id'], ['nodes.id'], name=op.f('fk_link_measurements_first_node_id_nodes')
        ),
        sa.ForeignKeyConstraint(
            ['second_node_id'], ['nodes.id'], name=op.f('fk_link_measurements_second_node_id_nodes')
        ),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_link_measurements')),
    )
    op.create_index(op.f('ix_link_measurements_attempt_id'), 'link_measurements', ['attempt_id'])
    op.create_index('ix_link_measurements_pair', 'link_measurements', ['first_node_id', 'second_node_id', 'id'])
    op.create_table(
        'diagnosis_verdicts',
        sa.Column('attempt_id', KEY, nullable=False),
        sa.Column('told', sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ['attempt_id'], ['attempts.id'], name=op.f('fk_diagnosis_verdicts_attempt_id_attempts')
        ),
        sa.PrimaryKeyConstraint('attempt_id', name=op.f('pk_diagnosis_verdicts')),
    )


def downgrade() -> None:
    op.drop_table('diagnosis_verdicts')
    op.drop_table('link_measurements')
