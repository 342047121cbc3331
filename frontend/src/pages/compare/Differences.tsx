import { useQueries } from "@tanstack/react-query";
import type { JobView } from "../../api/types";
import { QueryError } from "../../components/states/QueryError";
import { ScrollX } from "../../components/controls/ScrollX";
import { environmentsQuery } from "../../data/job";
import { differingFields, sameFields, versionsOf } from "../../lib/sweep/compare";
import { jobWord } from "../../lib/state";
import classes from "./ComparePage.module.css";

/** The properties in which the jobs differ: specification, nodes, versions; equal ones are folded. */
export function Differences({ jobs }: { jobs: readonly JobView[] }) {
  const environments = useQueries({ queries: jobs.map((job) => environmentsQuery(job.id)) });
  const failed = environments.find((query) => query.error && !query.data);
  const versions = environments.map(({ data }) => versionsOf(data ?? []));
  const rows = differingFields(jobs, versions);
  return (
    <section className="card" aria-labelledby="differences">
      <div className="card-head">
        <h2 id="differences">What differs</h2>
      </div>
      {failed && <QueryError what="The versions of a job could not be loaded" query={failed} />}
      {rows.length === 0 ? (
        <p className="card-body dim">Neither the specifications nor the known nodes and versions differ.</p>
      ) : (
        <ScrollX label="Fields that differ, a column for each job">
          <table className={classes.fields}>
            <thead>
              <tr>
                <th scope="col">Field</th>
                {jobs.map((job) => (
                  <th key={job.id} scope="col">
                    {jobWord(job)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([field, values]) => (
                <tr key={field}>
                  <th scope="row">
                    <code>{field}</code>
                  </th>
                  {values.map((value, i) => (
                    <td key={jobs[i]?.id}>{value}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      <Same rows={sameFields(jobs, versions)} />
    </section>
  );
}

function Same({ rows }: { rows: readonly (readonly [field: string, value: string])[] }) {
  return (
    <details className={classes.same}>
      <summary>{rows.length} that are the same</summary>
      <ScrollX label="Fields that are the same in all jobs">
        <table className={classes.fields}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">All jobs</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([field, value]) => (
              <tr key={field}>
                <th scope="row">
                  <code>{field}</code>
                </th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </details>
  );
}
