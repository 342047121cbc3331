import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import type { JobView } from "../../api/types";
import { useRole } from "../../components/hooks/useRole";
import { useShortcut } from "../../components/hooks/shortcuts";
import type { JobSearch, Tab } from "../../lib/search/search";
import { isImported } from "../../lib/state";
import { useView } from "./useView";

/** The parts whose charts can be shown as tables. */
const WITH_TABLE: ReadonlySet<Tab> = new Set(["results", "latency", "stragglers"]);

/** The keys of a job's page: l opens its log, t switches a part between charts and tables; the palette can run the job again. */
export function useJobKeys(job: JobView, tab: Tab): void {
  const jobId = job.id;
  const { mayChange } = useRole();
  const mayRun = mayChange && !isImported(job);
  const navigate = useNavigate();
  const [{ view }, set] = useView();
  const openLog = useCallback(() => {
    const search = (old: object): JobSearch => ({ ...old, tab: "log" });
    const opened = navigate({ to: "/jobs/$jobId", params: { jobId }, search, resetScroll: false });
    void opened.then(() => document.getElementById("log")?.scrollIntoView({ block: "nearest" }));
  }, [navigate, jobId]);
  const turnTable = useCallback(() => set({ view: view === "table" ? undefined : "table" }), [set, view]);
  const again = useCallback(() => void navigate({ to: "/jobs/new", search: { from: String(jobId) } }), [navigate, jobId]);
  const repeat = useCallback(() => void navigate({ to: "/settings/schedules", search: { job: String(jobId) } }), [navigate, jobId]);
  useShortcut("again", mayRun ? again : null);
  useShortcut("repeat", mayRun ? repeat : null);
  useShortcut("log", openLog);
  useShortcut("table", WITH_TABLE.has(tab) ? turnTable : null);
}
