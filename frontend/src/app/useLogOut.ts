import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ApiError, unwrap } from "../api/client";

/** Ends the session of this browser; a session that has already ended is no failure. */
export function useLogOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      try {
        unwrap(await api.DELETE("/api/v1/session"));
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error;
      }
      await client.resetQueries();
    },
  });
}
