"""on_nan continue becomes skip, in jobs and schedules: a training never goes on with numbers that are not finite"""

import sqlalchemy as sa
from alembic import op


revision = '0023'
down_revision = '0022'
branch_labels = None
depends_on = None

TABLES = [sa.table(name, sa.column('id', sa.Integer), sa.column('spec', sa.JSON)) for name in ('jobs', 'schedules')]


def upgrade() -> None:
    replace('continue', 'skip')


def downgrade() -> None:
    replace('skip', 'continue')


def replace(before: str, after: str) -> None:
    connection = op.get_bind()
    for table in TABLES:
        found = sa.select(table).where(sa.cast(table.c.spec, sa.Text).like(f'%on_nan%"{before}"%'))
        for row in connection.execute(found).all():
            training = row.spec.get('training') or {}
            if training.get('on_nan') == before:
                spec = row.spec | {'training': training | {'on_nan': after}}
                connection.execute(sa.update(table).where(table.c.id == row.id).values(spec=spec))
