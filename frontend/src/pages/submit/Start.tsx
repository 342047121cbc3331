import type { JobCheck } from "../../data/prediction";
import { Skeleton } from "../../components/states/Skeleton";
import { formatDateTime } from "../../lib/format";

/** When the scheduler would start the form's job. Null: the server has not answered yet. */
export function Start({ check }: { check: JobCheck | null }) {
  if (!check) return <Skeleton rows={1} isBare />;
  if (!check.plan) return null;
  const { starts_now: isNow, pending, estimated_start: start, placed_because: because } = check.plan;
  if (isNow) return <p>Would start now. {because}</p>;
  return (
    <p>
      Would not start now. {pending?.sentence} {start && <span className="dim">Expected to start {formatDateTime(start)}.</span>}
    </p>
  );
}
