/** The one cache of the server's answers. */
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/client";
import { arrivedQuery } from "../data/jobs";
import { meQuery } from "../data/server";

// The stream keeps data fresh, so nothing goes stale by itself. An answer of the server is final; a failed
// connection is tried again.
export const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: askWhoIAm }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
    },
  },
});

// Each job that arrives moves all others by one place: comparing them place by place would take longer than drawing them.
client.setQueryDefaults(arrivedQuery.queryKey, { structuralSharing: false });

/** Opens the login page when a session ends while a page is open, instead of an error in every box. */
function askWhoIAm(error: Error, query: { queryKey: readonly unknown[] }): void {
  const isLoggedOut = error instanceof ApiError && error.status === 401;
  if (isLoggedOut && query.queryKey[0] !== meQuery.queryKey[0]) void client.invalidateQueries(meQuery);
}
