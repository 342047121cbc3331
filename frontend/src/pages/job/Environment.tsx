import { useQuery } from "@tanstack/react-query";
import { environmentsQuery } from "../../data/job";
import type { AttemptEnvironment } from "../../api/types";
import { Loaded } from "../../components/Loaded";
import { Properties } from "../../components/Properties";
import { ScrollX } from "../../components/ScrollX";
import { bindingInWords, commonValues, machineInWords } from "../../lib/environment";
import classes from "./Configuration.module.css";

/** What the last attempt ran in: versions, variables, machines, and the binding of each rank. */
export function Environment({ jobId }: { jobId: number }) {
  const environments = useQuery(environmentsQuery(jobId));
  return (
    <Loaded query={environments} what="The environment could not be loaded" rows={8}>
      {(found) => <Newest last={found.at(-1)} />}
    </Loaded>
  );
}

function Newest({ last }: { last: AttemptEnvironment | undefined }) {
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
          <summary className="dim">Environment variables, less what looks like a secret</summary>
          <Properties items={commonValues(last.nodes, "variables")} />
        </details>
        <details>
          <summary className="dim">Binding of each rank</summary>
          <Bindings ranks={last.ranks} />
        </details>
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
