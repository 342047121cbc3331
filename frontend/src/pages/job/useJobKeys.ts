import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { useShortcut } from "../../components/hooks/shortcuts";
import type { JobSearch, Tab } from "../../lib/search/search";
import { useView } from "./useView";

/** The parts whose charts can be shown as tables. */
const WITH_TABLE: ReadonlySet<Tab> = new Set(["results", "latency", "stragglers"]);

/** The keys of a job's page: l opens its log, t switches a part between charts and tables. */
export function useJobKeys(jobId: number, tab: Tab): void {
  const navigate = useNavigate();
  const [{ view }, set] = useView();
  const openLog = useCallback(() => {
    const search = (old: object): JobSearch => ({ ...old, tab: "log" });
    const opened = navigate({ to: "/jobs/$jobId", params: { jobId }, search, resetScroll: false });
    void opened.then(() => document.getElementById("log")?.scrollIntoView({ block: "nearest" }));
  }, [navigate, jobId]);
  const turnTable = useCallback(() => set({ view: view === "table" ? undefined : "table" }), [set, view]);
  useShortcut("log", openLog);
  useShortcut("table", WITH_TABLE.has(tab) ? turnTable : null);
}
