import { DraftInput } from "../../components/controls/DraftInput";
import { digits, typedDigits } from "../../lib/amount";
import { hiddenFields } from "../../lib/form/planForm";
import { formatSize, parseSize } from "../../lib/size";
import { bound, type FieldProps } from "./field";
import classes from "./PlanPage.module.css";
import { Slider } from "./Slider";

/** The figures that most plans change: ranks, size and link. */
export function Essentials({ form, problems, links, isFitted, onChange }: FieldProps) {
  const bind = bound(form, problems, onChange);
  return (
    <div className={classes.essentials}>
      <div className={classes.field}>
        <DraftInput label="Ranks N" description="16, 4x8 or racks: 2x4x8" {...bind("n")} />
        {/^\d+$/.test(form.n) && <Slider label="Ranks N" value={Number(form.n)} from={2} to={64} text={`${form.n} ranks`} onCommit={(n) => onChange({ n: String(Math.round(n)) })} />}
      </div>
      <div className={classes.field}>
        <DraftInput label="Size K" description="Bytes on each rank: 1.2GB, 64MiB" {...bind("S")} />
        <Slider
          label="Size K"
          value={parseSize(form.S) ?? 1}
          from={8}
          to={2 ** 40}
          text={formatSize(parseSize(form.S) ?? 0)}
          onCommit={(size) => onChange({ S: formatSize(2 ** Math.round(Math.log2(size))).replace(" ", "") })}
        />
      </div>
      {!hiddenFields(form, isFitted).includes("B") && (
        <div className={classes.field}>
          <DraftInput label="Link between nodes B" description="ib200, 10gbe … or 25GB/s" list="plan-links" {...bind("B")} />
          {links && (
            <Slider
              label="Bandwidth B"
              value={links.bytesPerS / 1e9}
              from={0.01}
              to={1000}
              text={`${digits(links.bytesPerS / 1e9)} GB/s`}
              onCommit={(rate) => onChange({ B: `${typedDigits(rate)}GB/s`, alpha: `${typedDigits(links.latencyS * 1e6)}us` })}
            />
          )}
        </div>
      )}
    </div>
  );
}
