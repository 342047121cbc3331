"""Results of other tools"""

import sqlalchemy as sa
from alembic import op

import ringscope_server.db.models


revision = '0027'
down_revision = '0026'
branch_labels = None
depends_on = None

KEY = sa.BigInteger().with_variant(sa.Integer(), 'sqlite')
TIME = ringscope_server.db.models.UtcDateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        'imported_files',
        sa.Column('id', KEY, nullable=False),
        sa.Column('sha256', sa.Text(), nullable=False),
        sa.Column('name', sa.Text(), nullable=False),
        sa.Column('text', sa.Text(), nullable=False),
        sa.Column('created_at', TIME, nullable=False),
        sa.PrimaryKeyConstraint('id', name=op.f('pk_imported_files')),
        sa.UniqueConstraint('sha256', name=op.f('uq_imported_files_sha256')),
    )
    op.create_table(
        'imports',
        sa.Column('job_id', KEY, nullable=False),
        sa.Column('file_id', KEY, nullable=False),
        sa.Column('given', sa.JSON(), nullable=False),
        sa.Column('facts', sa.JSON(), nullable=False),
        sa.Column('points', sa.JSON(), nullable=False),
        sa.Column('rows', sa.JSON(), nullable=False),
        sa.Column('tally', sa.JSON(), nullable=False),
        sa.Column('document', sa.JSON(), nullable=False),
        sa.Column('adopted_at', TIME, nullable=True),
        sa.Column('adopted_by', sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(['job_id'], ['jobs.id'], name=op.f('fk_imports_job_id_jobs')),
        sa.ForeignKeyConstraint(['file_id'], ['imported_files.id'], name=op.f('fk_imports_file_id_imported_files')),
        sa.PrimaryKeyConstraint('job_id', name=op.f('pk_imports')),
    )
    op.create_index(op.f('ix_imports_file_id'), 'imports', ['file_id'])


def downgrade() -> None:
    op.drop_table('imports')
    op.drop_table('imported_files')
    # Earlier versions know no such kind.
    jobs = sa.table('jobs', sa.column('kind', sa.Text()))
    op.execute(jobs.delete().where(jobs.c.kind == 'imported'))
