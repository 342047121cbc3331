/** The page that shows or does the same as a command of an advice. Pure. */
import type { FormSearch } from "../../../lib/form/formSearch";

export type Place =
  | { to: "/jobs/$jobId"; params: { jobId: number }; search: { tab: "log" } }
  | { to: "/nodes/$name"; params: { name: string } }
  | { to: "/nodes" }
  | { to: "/jobs/new"; search: FormSearch };

/** null: only the command line can do it, or the command names no node. */
export function pageOf(command: string): Place | null {
  const [program, verb, subject] = command.split(" ");
  if (program !== "ringscope") return null;
  if (verb === "nodes") return { to: "/nodes" };
  if (verb === "node" && subject && subject !== "NAME") return { to: "/nodes/$name", params: { name: subject } };
  const jobId = Number(subject);
  if (!(jobId > 0)) return null;
  if (verb === "logs") return { to: "/jobs/$jobId", params: { jobId }, search: { tab: "log" } };
  if (verb === "retry" || verb === "clone") return { to: "/jobs/new", search: { from: String(jobId) } };
  return null;
}
