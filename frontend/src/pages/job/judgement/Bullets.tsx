/** The measured bus bandwidth of each size beside its references, each size on a scale of its own. */
import type { BandwidthJudgement } from "../../../api/types";
import { threeDigits } from "../../../lib/format";
import { formatSize } from "../../../lib/size";
import classes from "./Bullets.module.css";
import { judgementLook } from "../../../lib/judgement";

export type SizeJudgement = BandwidthJudgement["sizes"][number];
type Reference = SizeJudgement["references"][number];

const NAMES: Record<string, string> = { limit: "limit of the links", model: "model", published: "published runs", baseline: "own runs" };

export function Bullets({ sizes }: { sizes: readonly SizeJudgement[] }) {
  const kinds = Object.keys(NAMES).filter((kind) => sizes.some((size) => size.references.some((reference) => reference.kind === kind)));
  return (
    <div className={classes.bullets}>
      <p className={`dim ${classes.legend}`}>
        <span>
          <i data-measured /> measured
        </span>
        {kinds.map((kind) => (
          <span key={kind}>
            <i data-kind={kind} /> {NAMES[kind]}
          </span>
        ))}
        <span>Each size has a scale of its own.</span>
      </p>
      <ol>
        {sizes.map((size) => (
          <Bullet key={`${size.size_bytes}/${size.in_place}`} size={size} />
        ))}
      </ol>
    </div>
  );
}

function Bullet({ size }: { size: SizeJudgement }) {
  const { busbw_gb_per_s: measured, references, word } = size;
  const most = Math.max(measured, ...references.map((reference) => reference.high_gb_per_s));
  const share = (value: number): string => `${(100 * value) / most}%`;
  const { glyph, tone } = judgementLook(word);
  return (
    <li>
      <span className="number">
        {formatSize(size.size_bytes)}
        {size.in_place && " in place"}
      </span>
      <span className={classes.track}>
        {references.map((reference, i) => (
          <i
            key={i}
            data-kind={reference.kind}
            title={words(reference)}
            style={{ left: share(reference.low_gb_per_s), width: share(reference.high_gb_per_s - reference.low_gb_per_s) }}
          />
        ))}
        <i data-measured style={{ width: share(measured), background: `var(--${tone})` }} />
      </span>
      <span className="number">{threeDigits(measured)} GB/s</span>
      <span style={{ color: `var(--${tone})` }}>
        {glyph} {word}
      </span>
    </li>
  );
}

/** "published runs: 480 GB/s (414 to 547), Azure ND H100 v5" */
function words({ kind, busbw_gb_per_s: value, low_gb_per_s: low, high_gb_per_s: high, source }: Reference): string {
  const interval = low < high ? ` (${threeDigits(low)} to ${threeDigits(high)})` : "";
  return `${NAMES[kind] ?? kind}: ${threeDigits(value)} GB/s${interval}, ${source}`;
}
