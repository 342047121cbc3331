import type { ReactNode } from "react";
import { QueryError } from "./QueryError";
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

/** What the server answered: a skeleton until then. An error takes nothing away that is known. */
export function Loaded<T>({ query, what, rows, isBare = false, children }: Props<T>) {
  return (
    <>
      <QueryError query={query} what={what} />
      {query.data !== undefined && children(query.data)}
      {query.data === undefined && query.isPending && rows > 0 && <Skeleton rows={rows} isBare={isBare} />}
    </>
  );
}
