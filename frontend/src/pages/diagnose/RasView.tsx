/** Reports of NCCL's RAS: the ranks that do not answer or are behind. */
import type { RasCommunicator, RasPart } from "../../api/types";
import { ScrollX } from "../../components/controls/ScrollX";
import { plural } from "../../lib/format";
import { Part } from "./Part";
import { rankList } from "./words";
import classes from "./Diagnose.module.css";

export function RasView({ reports }: { reports: readonly RasPart[] }) {
  return reports.map((report, i) => <Report key={`${i}/${report.path}`} report={report} />);
}

function Report({ report }: { report: RasPart }) {
  const others = report.remarks.map(({ sentence }) => sentence).filter((sentence) => sentence !== report.answer);
  const compared = report.compared_with === null ? [] : ["--before", report.compared_with];
  return (
    <Part
      title={`State of communicators: ${report.path}`}
      answer={report.answer}
      isClean={report.remarks.every(({ kind }) => kind === "progressing")}
      command="nccl-ras"
      names={[report.path, ...compared]}
    >
      {others.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {report.communicators.length > 0 && <Communicators report={report} />}
      <p className="dim">
        {report.nccl_version ? `NCCL ${report.nccl_version}. ` : ""}
        {report.is_repaired && "The JSON missed commas, as that of NCCL 2.28 does; they were added. "}
        {report.compared_with !== null ? `The report was compared with ${report.compared_with}.` : "One report shows a moment: a second one says whether the counts change."}
      </p>
    </Part>
  );
}

const MOST_ROWS = 200;

function Communicators({ report }: { report: RasPart }) {
  const shown = report.communicators.slice(0, MOST_ROWS);
  return (
    <ScrollX label="Communicators and their ranks" isTall>
      <table className={classes.top}>
        <thead>
          <tr>
            <th scope="col">Communicator</th>
            <th scope="col" className="number">Ranks</th>
            <th scope="col">Do not answer</th>
            <th scope="col">Operations launched</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <tr key={one.name}>
              <th scope="row" className="mono">{one.name}</th>
              <td className="number">{one.ranks ?? "–"}</td>
              <td>{one.missing_ranks.length > 0 ? `${rankList(one.missing_ranks)}${dead(one)}` : "–"}</td>
              <td>
                <Counts one={one} report={report} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.communicators.length > MOST_ROWS && <p className="dim">and {report.communicators.length - MOST_ROWS} more</p>}
    </ScrollX>
  );
}

function dead({ dead_ranks: ranks }: RasCommunicator): string {
  if (ranks === null) return "";
  return ranks.length > 0 ? " (considered dead)" : " (not declared dead)";
}

/** How many ranks have launched how many operations, the fewest operations first; those of most ranks are dim. */
function Counts({ one, report }: { one: RasCommunicator; report: RasPart }) {
  const kinds = Object.entries(one.counts);
  if (kinds.length === 0) return "–";
  return (
    <ul>
      {kinds.map(([kind, counts]) => {
        const rows = Object.entries(counts).map(([count, ranks]) => ({ count: Number(count), ranks }));
        const most = Math.max(...rows.map(({ ranks }) => ranks));
        return (
          <li key={kind}>
            {kind && `${kind}, `}
            {rows.map(({ count, ranks }, i) => (
              <span key={count} className={ranks === most ? "dim" : classes.minority}>
                {i > 0 && "; "}
                {plural(ranks, "rank")}: {count.toLocaleString("en")}
              </span>
            ))}
          </li>
        );
      })}
      {report.remarks
        .filter((remark) => remark.communicator === one.name && remark.ranks.length > 0 && remark.kind !== "missing")
        .map(({ ranks, sentence }) => (
          <li key={sentence} className={classes.minority}>{rankList(ranks)}</li>
        ))}
    </ul>
  );
}
