import { useQuery } from "@tanstack/react-query";
import { environmentsQuery } from "../../../data/job";
import type { AttemptEnvironment, JobView } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { Properties } from "../../../components/Properties";
import { ScrollX } from "../../../components/controls/ScrollX";
import { bindingInWords, commonValues, machineInWords } from "./environment";
import classes from "./Configuration.module.css";
import { TopologyMatrix } from "./TopologyMatrix";

/** The environment of the last attempt: versions, variables, machines, the binding of each rank, and the links between them. */
export function Environment({ job }: { job: JobView }) {
  const environments = useQuery(environmentsQuery(job.id));
  return (
    <Loaded query={environments} what="The environment could not be loaded" rows={8}>
      {(found) => <Newest job={job} last={found.at(-1)} />}
    </Loaded>
  );
}

function Newest({ job, last }: { job: JobView; last: AttemptEnvironment | undefined }) {
  if (!last?.nodes.length) return null; // a simulation has none
  return (
    <section className="card" aria-labelledby="environment">
      <div className="card-head">
        <h2 id="environment">Environment</h2>
      </div>
      <div className={`card-body ${classes.body}`}>
        <Properties
          items={[
            ...last.nodes.map((node) => [node.host, machineInWords(node)] as const),
            ...commonValues(last.nodes, "versions"),
          ]}
        />
        <details>
          <summary className="dim">Environment variables, without those that look like secrets</summary>
          <Properties items={commonValues(last.nodes, "variables")} />
        </details>
        <details>
          <summary className="dim">Binding of each rank</summary>
          <Bindings ranks={last.ranks} />
        </details>
        {last.ranks.length > 1 && (
          <details>
            <summary className="dim">Connections between the ranks</summary>
            <TopologyMatrix ranks={last.ranks} members={job.attempts.find(({ number }) => number === last.attempt)?.members ?? []} />
          </details>
        )}
      </div>
    </section>
  );
}

function Bindings({ ranks }: Pick<AttemptEnvironment, "ranks">) {
  return (
    <ScrollX label="Binding of each rank">
      <table>
        <thead>
          <tr>
            <th scope="col" className="number">Rank</th>
            <th scope="col">Host</th>
            <th scope="col">Bound to</th>
          </tr>
        </thead>
        <tbody>
          {ranks.map((rank) => (
            <tr key={rank.rank}>
              <th scope="row" className="number">{rank.rank}</th>
              <td>{rank.host}</td>
              <td>{bindingInWords(rank)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
