import type { FilePreview, ImportedRun } from "../../api/types";
import { ScrollX } from "../controls/ScrollX";
import { plural } from "../../lib/format";
import { formatSize } from "../../lib/size";
import classes from "./Import.module.css";

const MOST_ROWS = 200;

/** A file as it was read: why it is refused, or its tables. */
export function PreviewedFile({ file }: { file: FilePreview }) {
  return (
    <section aria-label={file.path} className={classes.file}>
      <h3>{file.path}</h3>
      {file.refused != null ? (
        <p role="alert">Refused. {file.refused}</p>
      ) : (
        file.runs.map((run, i) => <Run key={i} run={run} />)
      )}
    </section>
  );
}

function Run({ run }: { run: ImportedRun }) {
  if (run.refused != null) return <p role="alert">Refused. {run.refused}</p>;
  const flagged = run.rows.filter(({ flags }) => flags.length > 0).length;
  return (
    <div className={classes.run}>
      <p>
        <strong>{headline(run)}</strong>
      </p>
      <p>{run.judgement.sentence}</p>
      {(run.partial || run.failed) && <p>{run.failed ? "The run failed; it is stored as failed." : "The table is not complete."}</p>}
      {run.notes.map((note) => (
        <p key={note} className="dim">
          {note}
        </p>
      ))}
      <details>
        <summary>
          {plural(run.rows.length, "row")}
          {flagged > 0 && `, ${flagged} of which contradict themselves and count for nothing`}
        </summary>
        <Rows run={run} />
      </details>
      <p className="dim">{machine(run)}</p>
    </div>
  );
}

function Rows({ run }: { run: ImportedRun }) {
  return (
    <ScrollX label={`Rows from line ${run.line}`} isTall>
      <table>
        <thead>
          <tr>
            <th scope="col" className="number">Size</th>
            <th scope="col">Place</th>
            <th scope="col" className="number">Time (µs)</th>
            <th scope="col" className="number">algbw (GB/s)</th>
            <th scope="col" className="number">busbw (GB/s)</th>
            <th scope="col" className="number">Wrong</th>
            <th scope="col">Marks</th>
          </tr>
        </thead>
        <tbody>
          {run.rows.slice(0, MOST_ROWS).map((row, i) => (
            <tr key={i}>
              <th scope="row" className="number">{formatSize(row.size_bytes)}</th>
              <td>{row.in_place ? "in place" : "out of place"}</td>
              <td className="number">{row.time_us ?? "–"}</td>
              <td className="number">{row.algbw_gb_per_s ?? "–"}</td>
              <td className="number">{row.busbw_gb_per_s ?? "–"}</td>
              <td className="number">{row.wrong ?? "–"}</td>
              <td>{row.flags.map((flag) => (flag.includes("=") ? `not ${flag}` : flag)).join("; ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {run.rows.length > MOST_ROWS && <p className="dim">and {run.rows.length - MOST_ROWS} more</p>}
    </ScrollX>
  );
}

function headline(run: ImportedRun): string {
  const ranks = run.ranks == null ? "ranks unknown" : plural(run.ranks, "rank");
  return [`Line ${run.line}: ${run.collective ?? run.test ?? "unknown collective"}`, ranks, run.tool].join(", ");
}

/** The machine as the file describes it. */
function machine({ machine: its }: ImportedRun): string {
  const gpus = its.gpus_per_node == null ? "" : ` of ${plural(its.gpus_per_node, "GPU")}`;
  const named = (values: Record<string, string>): string[] => Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const parts = [
    its.gpu ?? "GPU not stated",
    its.nodes == null ? "nodes not stated" : `${plural(its.nodes, "node")}${gpus}`,
    ...its.networks.map((network) => `network ${network}`),
    ...named(its.versions),
    ...Object.entries(its.environment).map(([name, value]) => `${name}=${value}`),
  ];
  return parts.join(", ");
}
