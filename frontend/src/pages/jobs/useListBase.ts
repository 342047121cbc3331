import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { useMarks } from "../../components/hooks/useMarks";
import type { JobsSearch } from "../../lib/search/search";

const route = getRouteApi("/jobs");

/** The base that this tab has put into an address by itself: it follows the browser's own, which may change meanwhile. */
const own: { put: number | null } = { put: null };

/**
 * The list's base job: the one that the address names, whatever the browser's own is. If the address names none, the
 * browser's own is put into it, so that a shared address shows the same to everyone.
 */
export function useListBase(): readonly [number | null, (base: number | null) => void] {
  const asked = route.useSearch({ select: (search) => search.base });
  const navigate = route.useNavigate();
  const [{ base: kept }] = useMarks();
  const named = asked === undefined ? null : Number(asked);
  const base = named === null || named === own.put ? kept : named;
  const put = useCallback(
    (next: number | null): void => {
      own.put = next;
      const changed = (old: JobsSearch): JobsSearch => ({ ...old, base: next === null ? undefined : String(next) }) as JobsSearch;
      void navigate({ search: changed, replace: true, resetScroll: false });
    },
    [navigate],
  );
  useEffect(() => {
    if (base !== named) put(base);
  }, [base, named, put]);
  return [base, put];
}
