/** Logs of NCCL_DEBUG=INFO: what matters, and NCCL's own rings, trees and NVLS over the nodes and GPUs. */
import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import type { NcclCommunicator, NcclLogPart, NcclShape } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Caption } from "../../../components/marks/Caption";
import { plural } from "../../../lib/format";
import { Part } from "../Part";
import { ChannelPicture } from "./ChannelPicture";
import { lookOf, shapeName } from "./looks";
import classes from "../Diagnose.module.css";

/** Remarks that say what the log lacks, not what is wrong. */
const NO_FINDING = new Set(["incomplete", "warnings"]);

export function NcclLogView({ part, names }: { part: NcclLogPart; names: readonly string[] }) {
  const [at, setAt] = useState(0);
  const one = part.communicators[at];
  const others = part.remarks.map(({ sentence }) => sentence).filter((sentence) => sentence !== part.answer);
  return (
    <Part
      title="NCCL's channels"
      answer={part.answer}
      isClean={part.remarks.every(({ kind }) => NO_FINDING.has(kind))}
      command="nccl-log"
      names={names}
    >
      {others.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p className="dim">{part.overview}</p>
      {part.communicators.length > 1 && (
        <NativeSelect
          label="Communicator"
          className={classes.choice}
          value={String(at)}
          onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
          data={part.communicators.map((each, i) => ({ value: String(i), label: communicatorName(each) }))}
        />
      )}
      {part.communicators_omitted > 0 && <p className="dim">{plural(part.communicators_omitted, "smaller communicator")} more are not shown.</p>}
      {one && <Shapes key={at} one={one} />}
      <Nodes part={part} />
      {part.warnings.length > 0 && (
        <details>
          <summary>{plural(part.warnings.length, "warning")}</summary>
          <ul className={classes.lines}>
            {part.warnings.map((warning, i) => (
              <li key={i} className="mono">{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </Part>
  );
}

function communicatorName({ id, ranks }: NcclCommunicator): string {
  return `${ranks === null ? "unknown number of ranks" : plural(ranks, "rank")}${id ? ` (${id})` : ""}`;
}

function Shapes({ one }: { one: NcclCommunicator }) {
  const [at, setAt] = useState(() => worst(one.shapes));
  const shape = one.shapes[at];
  if (!one.is_drawn) return <p className="dim">A communicator of more than 512 ranks is not drawn; `ringscope nccl-log --json` has its edges.</p>;
  if (!shape) return <p className="dim">The log prints no ring, tree or edge of this communicator.</p>;
  return (
    <figure className={classes.part}>
      {one.shapes.length > 1 && (
        <NativeSelect
          label="Shown"
          className={classes.choice}
          value={String(at)}
          onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
          data={one.shapes.map((each, i) => ({ value: String(i), label: shapeName(each) }))}
        />
      )}
      <ChannelPicture shape={shape} places={one.places} />
      <Caption more={about(shape)}>
        {shapeName(shape)}, as the log prints it{one.shapes_omitted > 0 && `; ${one.shapes_omitted} more shapes are not listed`}.
      </Caption>
      {shape.edges.length > 0 && <Edges shape={shape} />}
    </figure>
  );
}

/** The first shape with an edge of the slowest class, as that one limits all. */
function worst(shapes: readonly NcclShape[]): number {
  const found = shapes.findIndex(({ edges }) => edges.some(({ transport_class: name }) => name === "TCP sockets"));
  return Math.max(found, 0);
}

function about({ kind }: NcclShape): string {
  const transports = "An edge with several transports has the look of the slowest; channels with the same order are one picture.";
  if (kind === "tree") return `An arrow leads from a rank to its parent; sums go up the tree and the result comes down. ${transports}`;
  if (kind === "nvls") return "With NVLS the NVSwitch of a node sums what its GPUs send. The log prints no transports of it.";
  return kind === "ring" ? `An arrow leads from a rank to the next one of the ring. ${transports}` : `These edges are in no ring or tree, such as those of sends and receives. ${transports}`;
}

const MOST_EDGES = 512;

function Edges({ shape }: { shape: NcclShape }) {
  return (
    <details>
      <summary>{plural(shape.edges.length, "edge")} as a table</summary>
      <ScrollX label="Edges and their transports" isTall>
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">From</th>
              <th scope="col" className="number">To</th>
              <th scope="col">Class</th>
              <th scope="col">As printed</th>
            </tr>
          </thead>
          <tbody>
            {shape.edges.slice(0, MOST_EDGES).map((edge, i) => (
              <tr key={i}>
                <td className="number">{edge.source}</td>
                <td className="number">{edge.target}</td>
                <td>{lookOf(edge.transport_class).name}</td>
                <td className="mono">{edge.transports.join(", ") || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </details>
  );
}

function Nodes({ part }: { part: NcclLogPart }) {
  const nodes = part.nodes.filter(({ cards, networks, interfaces, settings }) => cards !== null || networks.length > 0 || interfaces.length > 0 || Object.keys(settings).length > 0);
  if (nodes.length === 0) return null;
  return (
    <details>
      <summary>Cards, networks and settings of {plural(nodes.length, "node")}</summary>
      <ScrollX label="Nodes as their processes describe them" isTall>
        <table className={classes.top}>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">InfiniBand and RoCE cards</th>
              <th scope="col">Network</th>
              <th scope="col">Interfaces</th>
              <th scope="col">Set by the environment</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={node.host}>
                <th scope="row">{node.host || "without a name"}</th>
                <td>{node.cards === null ? "–" : node.cards.join(", ") || "none found"}</td>
                <td>{node.networks.join(", ") || "–"}</td>
                <td>{node.interfaces.join(", ") || "–"}</td>
                <td className="mono">{Object.entries(node.settings).map(([name, value]) => `${name}=${value}`).join(" ") || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </details>
  );
}
