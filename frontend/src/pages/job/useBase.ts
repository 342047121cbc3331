import { useMarks } from "../../components/hooks/useMarks";
import { useView } from "./useView";

/**
 * The job that this one is held against; null: none. Whoever opens a shared address sees what it names, whatever job is
 * the base job in this browser.
 */
export function useBase(): number | null {
  const [search] = useView();
  const [{ base }] = useMarks();
  return search.base === undefined ? base : Number(search.base);
}
