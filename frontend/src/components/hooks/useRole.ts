import { useQuery } from "@tanstack/react-query";
import { meQuery } from "../../data/server";

interface Rights {
  /** What operators may do: submit, cancel, drain, schedule. */
  mayChange: boolean;
  /** What only admins may do: tokens, webhooks, the whole audit. */
  isAdmin: boolean;
}

/** What the user may do; nothing until that is known. */
export function useRole(): Rights {
  const role = useQuery(meQuery).data?.role;
  return { mayChange: role === "operator" || role === "admin", isAdmin: role === "admin" };
}
