"""Alembic's environment: runs on the connection that ringscope_server.db.schema passes in."""

from alembic import context

from ringscope_server.db.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite alters tables by copying them
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
