import type { MeasurementView } from "../../../api/types";
import { Fact } from "../../../components/Fact";
import { formatCount } from "../../../lib/format";
import type { Tone } from "../../../lib/state";

interface Props {
  /** undefined: they are loading. */
  rows: readonly MeasurementView[] | undefined;
  isOn: boolean;
  wrong: number;
  /** No further row will come. */
  isOver: boolean;
}

const LABEL = "Result check";

function Unchecked({ note }: { note: string }) {
  return <Fact label={LABEL} value="–" note={note} />;
}

/** Whether the sums were right: every row with a check counts as one. */
export function CheckFact({ rows, isOn, wrong, isOver }: Props) {
  if (!rows) return <Unchecked note="…" />;
  if (rows.some((row) => row.transport === "simulated")) {
    return <Unchecked note="simulated: nothing to check" />;
  }
  const checks = rows.filter((row) => row.wrong !== null).length;
  if (!isOn) return <Unchecked note="the check was off" />;
  if (checks === 0) return <Unchecked note={isOver ? "nothing was checked" : "no check yet"} />;
  const [glyph, tone]: [string, Tone] = wrong > 0 ? ["✕", "bad"] : ["✓", "good"];
  return (
    <Fact
      label={LABEL}
      value={
        <span style={{ color: `var(--${tone})` }}>
          <span aria-hidden="true">{glyph} </span>
          {formatCount(wrong)}
        </span>
      }
      unit="wrong"
      note={`of ${formatCount(checks)}`}
    />
  );
}
