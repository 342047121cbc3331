/** A hang from Flight Recorder dumps: the sentence, the last operations by rank, and the lines of source code. */
import type { HangFinding, HangOperation, HangPart } from "../../../api/types";
import { plural } from "../../../lib/format";
import { Part } from "../Part";
import { rankList } from "../words";
import { OperationTable } from "./OperationTable";
import classes from "../Diagnose.module.css";

export function HangView({ part, names }: { part: HangPart; names: readonly string[] }) {
  const [first, ...rest] = part.findings;
  const others = [...rest, ...part.pairs].map(({ sentence }) => sentence).filter((sentence) => sentence !== part.answer);
  return (
    <Part title="Hang" answer={part.answer} isClean={part.is_clean} command="hang" names={names}>
      {others.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {part.findings_omitted > 0 && <p className="dim">and {plural(part.findings_omitted, "more finding")}</p>}
      {part.table && <OperationTable table={part.table} />}
      {first && <Sources finding={first} />}
      <p className="dim">
        {plural(part.operations_compared, "operation")} of {plural(part.ranks.length, "rank")} were compared.
        {part.without_dump.length > 0 && ` There is no dump of ${rankList(part.without_dump)}.`}
      </p>
    </Part>
  );
}

/** The stacks of the ranks that wait and of a rank of the finding, in the script first. */
function Sources({ finding }: { finding: HangFinding }) {
  const stacks = [
    [`Waiting: ${rankList(finding.waiting_ranks)}`, finding.expected],
    [finding.kind === "missing" || finding.kind === "torn_down" ? `Last call of ${rankList(finding.ranks.slice(0, 1))}` : `Call of ${rankList(finding.ranks.slice(0, 1))}`, finding.found],
  ] as const;
  const shown = stacks.filter((stack): stack is [string, HangOperation] => (stack[1]?.frames.length ?? 0) > 0);
  if (shown.length === 0) return <p className="dim">The dumps have no lines of source code, as PyTorch writes none into JSON.</p>;
  return (
    <details>
      <summary>Source code</summary>
      <div className={classes.stacks}>
        {shown.map(([title, operation]) => (
          <div key={title}>
            <h3>{title}</h3>
            <p className="mono">{operation.name}</p>
            <ol className={classes.stack}>
              {operation.frames.map((frame, i) => (
                <li key={i} data-source={`${frame.path}:${frame.line}` === operation.source || undefined}>
                  {frame.path}:{frame.line} <span className="dim">{frame.function}</span>
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
    </details>
  );
}
