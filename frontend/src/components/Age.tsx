import { formatAge, formatDateTime } from "../lib/format";
import { useNow } from "./useNow";

/** How long ago something was, with the exact time on hover. */
export function Age({ iso }: { iso: string }) {
  const now = useNow();
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      {formatAge((now - Date.parse(iso)) / 1000)}
    </time>
  );
}
