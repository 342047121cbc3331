import { formatAge, formatAgo, formatDateTime } from "../lib/format";
import { useTimeWords } from "./hooks/useNow";

interface Props {
  iso: string;
  /** "8 s ago" instead of "8 s". */
  isSentence?: boolean;
}

/** How long ago something was, with the exact time on hover. */
export function Age({ iso, isSentence = false }: Props) {
  return (
    <time dateTime={iso} title={formatDateTime(iso)}>
      <AgeText iso={iso} isSentence={isSentence} />
    </time>
  );
}

/** The same as text alone, for a list whose cells have the exact time. */
export function AgeText({ iso, isSentence = false }: Props) {
  const format = isSentence ? formatAgo : formatAge;
  return useTimeWords((nowMs) => format((nowMs - Date.parse(iso)) / 1000));
}
