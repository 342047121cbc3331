import { formatAge, formatDateTime } from "../lib/format";
import { useTimeWords } from "./useNow";

/** How long ago something was, with the exact time on hover. */
export function Age({ iso }: { iso: string }) {
  const age = useTimeWords((nowMs) => formatAge((nowMs - Date.parse(iso)) / 1000));
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {age}
    </time>
  );
}
