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
  /** As in ErrorNote. */
  what: string;
  /** The approximate height of the content, in rows of a table; 0 shows nothing until then. */
  rows: number;
  isBare?: boolean;
  children: (data: T) => ReactNode;
}

/** Content from the server's answer: a skeleton until it comes. An error leaves earlier content in place. */
export function Loaded<T>({ query, what, rows, isBare = false, children }: Props<T>) {
  return (
    <>
      <QueryError query={query} what={what} />
      {query.data !== undefined && children(query.data)}
      {query.data === undefined && query.isPending && rows > 0 && <Skeleton rows={rows} isBare={isBare} />}
    </>
  );
}
