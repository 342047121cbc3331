import { isAnswer } from "../../data/outage";
import { ErrorNote } from "./ErrorNote";

interface Props {
  query: { data: unknown; error: Error | null; refetch: () => unknown };
  /** As in ErrorNote. */
  what: string;
}

/**
 * Why there is nothing to show. Earlier content stays. If the server cannot be reached, the banner says so
 * for the whole page; only refusals by the server are shown here.
 */
export function QueryError({ query: { data, error, refetch }, what }: Props) {
  const isKnown = data !== undefined;
  if (!error || (isKnown && !isAnswer(error))) return null;
  return <ErrorNote what={what} error={error} isStale={isKnown} onRetry={() => void refetch()} />;
}
