import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { jobsQuery } from "../../data/jobs";
import { EmptyState } from "../../components/states/EmptyState";
import { Loaded } from "../../components/states/Loaded";
import { JobsTable } from "../../components/jobs/JobsTable";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { useSlots } from "../../components/hooks/useSlots";
import { fittedTo } from "../../lib/command";
import pageCommands from "../../lib/pageCommands.json";

const LATEST = 10;
const REFRESH_MS = 10_000;

/** The jobs that had ranks on a node, newest first. */
export function NodeHistory({ name }: { name: string }) {
  const jobs = useInfiniteQuery({ ...jobsQuery({ node: name }), refetchInterval: REFRESH_MS });
  const slots = useSlots()?.total ?? 0;
  const items = jobs.data?.pages[0]?.items ?? [];
  return (
    <section className="card" aria-labelledby="history">
      <div className="card-head">
        <h2 id="history">Jobs</h2>
        {items.length > 0 && (
          <Link to="/jobs" search={{ node: name }} className="spread">
            All jobs that ran here
          </Link>
        )}
      </div>
      <Loaded query={jobs} what="The jobs could not be loaded" rows={4} isBare>
        {() =>
          items.length > 0 ? (
            <JobsTable jobs={items.slice(0, LATEST)} />
          ) : (
            <EmptyState title="No job has run here">
              <p className="dim">The scheduler uses as few nodes as a job needs. This command submits one:</p>
              <ServerCommand text={fittedTo(slots, pageCommands.firstJob)} />
            </EmptyState>
          )
        }
      </Loaded>
    </section>
  );
}
