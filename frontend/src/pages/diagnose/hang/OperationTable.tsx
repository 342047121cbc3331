import type { HangCell, HangTable } from "../../../api/types";
import { ScrollX } from "../../../components/controls/ScrollX";
import { Caption } from "../../../components/marks/Caption";
import { StateBadge } from "../../../components/marks/StateBadge";
import type { StateLook } from "../../../lib/state";
import { rankList } from "../words";
import classes from "../Diagnose.module.css";

const LOOKS: Record<string, StateLook> = {
  ended: { glyph: "✓", text: "ended", tone: "good" },
  waits: { glyph: "◔", text: "waits", tone: "busy" },
  missing: { glyph: "✕", text: "not issued", tone: "bad" },
  differs: { glyph: "≠", text: "another call", tone: "bad" },
  late: { glyph: "!", text: "late", tone: "warn" },
  not_issued: { glyph: "○", text: "not yet", tone: "waiting" },
  overwritten: { glyph: "–", text: "no longer recorded", tone: "waiting" },
  no_dump: { glyph: "?", text: "no dump", tone: "warn" },
};

/** The operations around the finding, by rank; ranks with the same states share a row. */
export function OperationTable({ table }: { table: HangTable }) {
  return (
    <figure>
      <ScrollX label="The last operations by rank">
        <table className={classes.operations} data-finding={table.columns.some((column) => column.is_finding) || undefined}>
          <thead>
            <tr>
              <th scope="col">Ranks</th>
              {table.columns.map((column) => (
                <th key={column.sequence} scope="col" data-finding={column.is_finding || undefined}>
                  <span className="dim">{column.sequence}</span> {column.name}
                  {column.source && <span className={`mono ${classes.source}`} title={column.source}>{short(column.source)}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row) => (
              <tr key={row.ranks[0]}>
                <th scope="row">{rankList(row.ranks)}</th>
                {row.cells.map((cell, i) => (
                  <td key={table.columns[i]?.sequence} data-finding={table.columns[i]?.is_finding || undefined}>
                    <State cell={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <Caption more="An operation has the number that its group counts. Ranks with the same states share a row. A rank that waits issues nothing more, so later operations are not yet issued there.">
        The last operations of group {table.group}
        {table.group_description && table.group_description !== table.group && ` (${table.group_description})`} around the finding, by rank.
      </Caption>
    </figure>
  );
}

function State({ cell }: { cell: HangCell }) {
  const look = LOOKS[cell.state] ?? { glyph: "?", text: cell.state, tone: "waiting" as const };
  return (
    <>
      <StateBadge look={look} />
      {cell.detail && <span className={classes.detail}>{cell.detail}</span>}
    </>
  );
}

/** The last two parts of a path and its line: "project/train.py:12". */
function short(source: string): string {
  return source.split("/").slice(-2).join("/");
}
