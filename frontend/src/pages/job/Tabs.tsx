import { Link } from "@tanstack/react-router";
import type { JobSearch, Tab } from "../../lib/search/search";
import { TabList } from "../../components/TabList";

export const TAB_NAMES: Record<Tab, string> = {
  results: "Results",
  latency: "Latency",
  stragglers: "Stragglers",
  log: "Log",
  configuration: "Configuration",
};

/** The parts of the page as links, so that each has a URL and Back returns to the previous part. */
export function Tabs({ jobId, tabs, current }: { jobId: number; tabs: readonly Tab[]; current: Tab }) {
  return (
    <TabList label="Parts of the job" current={current}>
      {tabs.map((tab) => (
        <Link
          key={tab}
          to="/jobs/$jobId"
          params={{ jobId }}
          search={(old) => ({ ...old, tab: tab === "results" ? undefined : tab }) as JobSearch}
          resetScroll={false}
          aria-current={tab === current ? "page" : undefined}
          // Otherwise the link to the results, whose search only lacks the part, would always count as current.
          activeOptions={{ exact: true, explicitUndefined: true }}
        >
          {TAB_NAMES[tab]}
        </Link>
      ))}
    </TabList>
  );
}
