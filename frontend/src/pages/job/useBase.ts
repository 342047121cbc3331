import { useMarks } from "../../components/hooks/useMarks";
import { useView } from "./useView";

/**
 * The base job of this page; null: none. A shared address that names one shows the same to everyone, whatever the base
 * job of their browser is.
 */
export function useBase(): number | null {
  const [search] = useView();
  const [{ base }] = useMarks();
  return search.base === undefined ? base : Number(search.base);
}
