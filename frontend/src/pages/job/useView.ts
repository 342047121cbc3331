import { getRouteApi } from "@tanstack/react-router";
import type { JobSearch } from "../../lib/search/search";

const route = getRouteApi("/jobs/$jobId");

type Change = Partial<Record<keyof JobSearch, string | undefined>>;

/** The page's search in the URL, and how to change it in place: an undefined value is removed from the URL. */
export function useView(): readonly [JobSearch, (change: Change) => void] {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Change): void =>
    void navigate({
      search: (old) => ({ ...old, ...change }) as JobSearch,
      hash: true,
      replace: true,
      resetScroll: false,
      hashScrollIntoView: false,
    });
  return [search, set];
}
