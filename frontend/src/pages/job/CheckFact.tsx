import type { MeasurementView } from "../../api/types";
import { Fact } from "../../components/Fact";
import { formatCount, plural } from "../../lib/format";
import type { Tone } from "../../lib/state";

interface Props {
  rows: readonly MeasurementView[];
  isOn: boolean;
  wrong: number;
}

/** Whether the sums were right: every row with a check counts as one. */
export function CheckFact({ rows, isOn, wrong }: Props) {
  if (rows.some((row) => row.transport === "simulated")) {
    return <Fact label="Wrong elements" value="–" note="simulated: nothing to check" />;
  }
  const checks = rows.filter((row) => row.wrong !== null).length;
  if (!isOn) return <Fact label="Wrong elements" value="–" note="the check was off" />;
  if (checks === 0) return <Fact label="Wrong elements" value="–" note="no check yet" />;
  const [glyph, tone]: [string, Tone] = wrong > 0 ? ["✕", "bad"] : ["✓", "good"];
  return (
    <Fact
      label="Result check"
      value={
        <span style={{ color: `var(--${tone})` }}>
          <span aria-hidden="true">{glyph} </span>
          {formatCount(wrong)}
        </span>
      }
      unit="wrong"
      note={`of ${plural(checks, "check")}`}
    />
  );
}
