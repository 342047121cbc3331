"""The newest step of each rank whose buckets were reported."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from ringscope_server.db.models import RankBuckets
from ringscope_server.training.views import RankBucketsView


async def buckets(session: AsyncSession, attempt_id: int | None) -> list[RankBucketsView]:
    """Return the buckets in the order of the ranks."""
    query = select(RankBuckets).where(RankBuckets.attempt_id == attempt_id).order_by(RankBuckets.rank)
    return [RankBucketsView.model_validate(row, from_attributes=True) for row in await session.scalars(query)]
