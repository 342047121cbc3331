"""``python -m ringscope_server.downgrade VERSION``: bring the tables back to an earlier version."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from ringscope_server.app import services_for
from ringscope_server.db import schema
from ringscope_server.db.faults import DatabaseUnusableError
from ringscope_server.db.lock import DataDirError, lock_data_dir
from ringscope_server.settings import Settings

EXIT_BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Downgrade the tables and return the exit code: 2 with one line on stderr if nothing was changed."""
    parser = argparse.ArgumentParser(
        prog="python -m ringscope_server.downgrade",
        description="Bring the tables back to those of an earlier version. Stop all servers first, and make a backup: "
        "content that the earlier tables have no place for is deleted.",
    )
    parser.add_argument(
        "version",
        help=f"Version of the tables, such as {schema.versions()[-2]}; this version's: {schema.versions()[-1]}.",
    )
    for name in ("data_dir", "database_url"):
        parser.add_argument(f"--{name.replace('_', '-')}", help=Settings.model_fields[name].description)
    given = {name: value for name, value in vars(parser.parse_args(arguments)).items() if value is not None}
    wanted = given.pop("version")
    try:
        if wanted not in schema.versions():
            raise DatabaseUnusableError(f"{wanted!r} is no version of the tables; give one of {_range()}.")
        settings = Settings(**given)
        # A server on SQLite holds this lock while it runs. Of PostgreSQL's servers nothing is known here.
        with nullcontext() if settings.database_url else lock_data_dir(settings.data_path):
            print(asyncio.run(_downgrade(settings, wanted)))  # noqa: T201  # the terminal is this module's job
    except (DatabaseUnusableError, DataDirError) as error:
        print(f"ringscope_server.downgrade: {error}", file=sys.stderr)  # noqa: T201
        return EXIT_BAD_INPUT
    return 0


def _range() -> str:
    return f"{schema.versions()[0]} to {schema.versions()[-1]}"


async def _downgrade(settings: Settings, wanted: str) -> str:
    database = services_for(settings).database
    try:
        found = await schema.version(database.engine)
        if found is None or found not in schema.versions():
            raise DatabaseUnusableError(
                f"{database.label} has tables of version {found or 'none'}, which this version of Ringscope does not "
                f"know; it knows {_range()}."
            )
        if found < wanted:
            raise DatabaseUnusableError(
                f"{database.label} has tables of version {found}, before {wanted}; a server upgrades when it starts."
            )
        await schema.downgrade(database.engine, wanted)
        return f"{database.label}: the tables of version {found} are now those of version {wanted}."
    finally:
        await database.dispose()


if __name__ == "__main__":
    sys.exit(main())
