import { useEffect } from "react";

/** Sets the tab's title, such as "✓ 18.2 GB/s · job 42 · ringscope". */
export function usePageTitle(...parts: (string | null)[]): void {
  const title = [...parts.filter(Boolean), "ringscope"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
