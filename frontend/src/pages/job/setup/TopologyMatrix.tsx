/** Connections between the ranks of an attempt, as a matrix like that of `nvidia-smi topo -m`. */
import { useQuery } from "@tanstack/react-query";
import { linksBetweenQuery } from "../../../data/nodes";
import type { AttemptEnvironment, MemberView } from "../../../api/types";
import { MeasuredLink } from "../../../components/controls/MeasuredLink";
import { ScrollX } from "../../../components/controls/ScrollX";
import { type Joint, MOST_NODES, topologyOf, type Way } from "./topology";
import classes from "./Configuration.module.css";

const WORDS: Record<Way, string> = { self: "·", numa: "NUMA", node: "node", net: "net" };

interface Props {
  ranks: AttemptEnvironment["ranks"];
  members: readonly MemberView[];
}

export function TopologyMatrix({ ranks, members }: Props) {
  const nodes = members.map(({ node }) => node);
  const links = useQuery({ ...linksBetweenQuery(nodes), enabled: nodes.length > 1 && nodes.length <= MOST_NODES });
  if (nodes.length > MOST_NODES) return <p className="dim">The job ran on {nodes.length} nodes, which are too many for a matrix; the page of nodes shows their links by racks.</p>;
  const { names, isOfNodes, joints } = topologyOf(ranks, members, links.data ?? []);
  const noun = isOfNodes ? "Node" : "Rank";
  return (
    <>
      <ScrollX label={isOfNodes ? "Connections between the nodes" : "Connections between the ranks"}>
        <table className={classes.topology}>
          <thead>
            <tr>
              <th scope="col">{noun}</th>
              {names.map((name) => (
                <th key={name} scope="col" className="number">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {joints.map((row, i) => (
              <tr key={names[i]}>
                <th scope="row" className="number">{names[i]}</th>
                {row.map((joint, j) => (
                  <td key={names[j]} className="number">
                    <Cell {...joint} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <p className="dim">
        NUMA: memory of one NUMA node; node: of one machine, or its links between GPUs; net: a network between machines, or
        where a sendrecv measured it, its bus bandwidth in GB/s.
      </p>
    </>
  );
}

function Cell({ way, link }: Joint) {
  return link ? <MeasuredLink link={link} /> : <span className={way === "self" ? "dim" : undefined}>{WORDS[way]}</span>;
}
