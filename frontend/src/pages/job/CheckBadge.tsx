import type { MeasurementView } from "../../api/types";
import { StateBadge } from "../../components/StateBadge";
import { plural } from "../../lib/format";

interface Props {
  rows: readonly MeasurementView[];
  isOn: boolean;
  wrong: number;
}

/** Whether the sums were right: every row with a check counts as one. */
export function CheckBadge({ rows, isOn, wrong }: Props) {
  if (!isOn) return <StateBadge look={{ glyph: "○", text: "not checked", tone: "waiting" }} large />;
  const checks = rows.filter((row) => row.wrong !== null).length;
  if (wrong > 0) {
    return <StateBadge look={{ glyph: "✕", text: `${plural(wrong, "wrong element")}`, tone: "bad" }} large />;
  }
  if (checks === 0) return <StateBadge look={{ glyph: "○", text: "no check yet", tone: "waiting" }} large />;
  return <StateBadge look={{ glyph: "✓", text: `0 wrong of ${plural(checks, "check")}`, tone: "good" }} large />;
}
