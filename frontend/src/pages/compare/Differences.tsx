import type { JobView } from "../../api/types";
import { ScrollX } from "../../components/ScrollX";
import { differingFields } from "../../lib/compare";

/** The fields in which the specifications differ; what is equal is left out. */
export function Differences({ jobs }: { jobs: readonly JobView[] }) {
  const rows = differingFields(jobs.map((job) => job.spec));
  return (
    <section className="card" aria-labelledby="differences">
      <div className="card-head">
        <h2 id="differences">What differs</h2>
      </div>
      {rows.length === 0 ? (
        <p className="card-body dim">Nothing in what was asked for{jobs.length > 1 ? "" : ": there is one job"}.</p>
      ) : (
        <ScrollX label="Fields that differ, a column for each job">
          <table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                {jobs.map((job) => (
                  <th key={job.id} scope="col">
                    job {job.id}
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
    </section>
  );
}
