import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { ADVANCED, type Field, isSimulation, type JobForm, STANDARD } from "../../lib/form/form";
import type { Problems } from "../../lib/form/types";
import type { Bind } from "./bind";
import { Limits } from "./Limits";
import classes from "./SubmitPage.module.css";

const BLOCKING = [
  { value: "0", label: "each rank continues by itself" },
  { value: "1", label: "all meet after each operation" },
  { value: "2", label: "each waits for its result" },
  { value: "3", label: "all meet after each iteration, untimed" },
];
const AVERAGES = [
  { value: "mean", label: "mean of the ranks" },
  { value: "rank0", label: "rank 0" },
  { value: "min", label: "fastest rank" },
  { value: "max", label: "slowest rank" },
];

/** Fields that a simulation lacks, as its cluster has them. */
const OF_RANKS: readonly Field[] = ["nodes", "perNode", "rails", "quiet"];

interface Props {
  form: JobForm;
  problems: Problems;
  bind: Bind<Field>;
  onChange: (field: Field, value: string) => void;
}

/** nccl-tests' finer options: folded unless one of them differs from its default. */
export function Advanced({ form, problems, bind, onChange }: Props) {
  const shown = ADVANCED.filter((field) => !isSimulation(form) || !OF_RANKS.includes(field));
  const isNeeded = shown.some((field) => form[field] !== STANDARD[field] || problems[field]);
  return (
    <details className={classes.group} open={isNeeded || undefined}>
      <summary>Advanced</summary>
      <div className={classes.row}>
        <TextInput description="Bytes, instead of the factor" {...bind("step")} />
        <TextInput description="Whole sweeps" inputMode="numeric" {...bind("cycles")} />
        <TextInput description="Operations per iteration" inputMode="numeric" {...bind("aggregate")} />
        <TextInput description="First iterations, in statistics" inputMode="numeric" {...bind("skip")} />
      </div>
      <div className={classes.row}>
        <NativeSelect data={BLOCKING} {...bind("blocking")} />
        <NativeSelect data={AVERAGES} {...bind("average")} />
        {!isSimulation(form) && <TextInput description="Of rings and trees" placeholder="usual" inputMode="numeric" {...bind("rails")} />}
        <TextInput description="Seconds without progress" inputMode="numeric" {...bind("timeout")} />
      </div>
      <div className={classes.row}>
        {!isSimulation(form) && (
          <>
            <TextInput description="Exactly so many" placeholder="any" inputMode="numeric" {...bind("nodes")} />
            <TextInput description="Exactly so many" placeholder="any" inputMode="numeric" {...bind("perNode")} />
          </>
        )}
        <TextInput description="rack=3, zone=a" placeholder="any" {...bind("selector")} />
      </div>
      <Limits bind={bind} />
      {!isSimulation(form) && (
        <Checkbox
          name="quiet"
          label="Start only while other load leaves the nodes' cores idle"
          checked={form.quiet === "on"}
          error={problems.quiet}
          onChange={(event) => onChange("quiet", event.currentTarget.checked ? "on" : "off")}
        />
      )}
      <Checkbox
        name="rotate"
        label="Use another piece of memory each time, so that caches do not hold the data"
        checked={form.rotate === "on"}
        error={problems.rotate}
        onChange={(event) => onChange("rotate", event.currentTarget.checked ? "on" : "off")}
      />
      <Checkbox
        name="trace"
        label="Trace: also record one operation of each row, transfer by transfer"
        checked={form.trace === "on"}
        error={problems.trace}
        onChange={(event) => onChange("trace", event.currentTarget.checked ? "on" : "off")}
      />
    </details>
  );
}
