import { useMarks } from "../../components/hooks/useMarks";
import { useView } from "./useView";

/**
 * The job that this one is held against; null: none. Whoever opens a shared address sees what it names, whatever job is
 * the baseline in this browser.
 */
export function useBase(): number | null {
  const [search] = useView();
  const [{ baseline }] = useMarks();
  return search.base === undefined ? baseline : Number(search.base);
}
