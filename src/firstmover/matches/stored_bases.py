"""The table of decompositions that speed up opening: a cache beside the journal, which no answer depends on.

The table is created when it is first written to, and has no version: firstmover before it ignores the table.
"""

import logging
from contextlib import suppress

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from firstmover.core.errors import FirstmoverError
from firstmover.matches import schema
from firstmover.matches.database import transaction

_LOG = logging.getLogger(__name__)

BASES = sa.Table(
    "firstmover_bases",
    sa.MetaData(),
    sa.Column("match", sa.String(80), primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)
"""At most one row per match, which is replaced."""


def load(engine: sa.Engine, match_id: str) -> bytes | None:
    """Return the bytes of a match, which the caller must check; None if there are none or they cannot be read."""
    with suppress(FirstmoverError), transaction(engine) as connection:
        if sa.inspect(connection).has_table(BASES.name):
            found = connection.execute(sa.select(BASES.c.content).where(BASES.c.match == match_id)).scalars().first()
            return found if isinstance(found, bytes) else None
    return None


def save(engine: sa.Engine, match_id: str, content: bytes) -> None:
    """Replace the bytes of a match; without success if the store cannot be written."""
    try:
        with transaction(engine, writing=True) as connection:
            schema.lock(connection)
            BASES.create(connection, checkfirst=True)
            remove(connection, match_id)
            connection.execute(sa.insert(BASES), {"match": match_id, "content": content})
    except (FirstmoverError, IntegrityError) as error:
        _LOG.warning("the decomposition was not stored", extra={"match_id": match_id, "cause": str(error)})


def remove(connection: sa.Connection, match_id: str | None = None) -> None:
    """Delete the bytes of a match, or of all matches."""
    if sa.inspect(connection).has_table(BASES.name):
        every = sa.delete(BASES)
        connection.execute(every if match_id is None else every.where(BASES.c.match == match_id))
