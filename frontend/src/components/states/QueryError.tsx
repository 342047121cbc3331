import { isAnswer } from "../../data/outage";
import { ErrorNote } from "./ErrorNote";

interface Props {
  query: { data: unknown; error: Error | null; refetch: () => unknown };
  /** As ErrorNote has it. */
  what: string;
}

/**
 * Why there is nothing to show. What was loaded before stays as it is: where the server cannot be reached the banner
 * says so for the whole page, and only a refusal of the server's stands above it.
 */
export function QueryError({ query: { data, error, refetch }, what }: Props) {
  const isKnown = data !== undefined;
  if (!error || (isKnown && !isAnswer(error))) return null;
  return <ErrorNote what={what} error={error} isStale={isKnown} onRetry={() => void refetch()} />;
}
