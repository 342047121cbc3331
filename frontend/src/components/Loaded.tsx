import type { ReactNode } from "react";
import { ErrorNote } from "./ErrorNote";
import { Skeleton } from "./Skeleton";

interface Query<T> {
  data: T | undefined;
  error: Error | null;
  /** There is no answer yet. */
  isPending: boolean;
  refetch: () => unknown;
}

interface Props<T> {
  query: Query<T>;
  /** As ErrorNote has it. */
  what: string;
  /** How high the content will be about, in rows of a table; 0 shows nothing until then. */
  rows: number;
  isBare?: boolean;
  children: (data: T) => ReactNode;
}

/** What the server answered: a skeleton until then, and an error above what is known, which it takes nothing away from. */
export function Loaded<T>({ query, what, rows, isBare = false, children }: Props<T>) {
  return (
    <>
      {query.error && <ErrorNote what={what} error={query.error} isStale={query.data !== undefined} onRetry={() => void query.refetch()} />}
      {query.data !== undefined && children(query.data)}
      {query.data === undefined && query.isPending && rows > 0 && <Skeleton rows={rows} isBare={isBare} />}
    </>
  );
}
