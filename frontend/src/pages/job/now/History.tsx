/** What happened to the job, and the nodes of each attempt. */
import { useQuery } from "@tanstack/react-query";
import type { JobView } from "../../../api/types";
import { QueryError } from "../../../components/states/QueryError";
import { eventsQuery } from "../../../data/job";
import { AlgorithmChanges } from "./AlgorithmChanges";
import { Gang } from "./Gang";
import { Timeline } from "./Timeline";

export function History({ job }: { job: JobView }) {
  const events = useQuery(eventsQuery(job.id));
  return (
    <>
      <QueryError what="What happened to the job could not be loaded" query={events} />
      {!(events.isError && !events.data) && <Timeline job={job} events={events.data} />}
      <AlgorithmChanges events={events.data ?? []} />
      <div className="card">
        <Gang job={job} />
      </div>
    </>
  );
}
