import { Checkbox } from "@mantine/core";
import { SelectField, TextField } from "../../components/controls/fields";
import { ADVANCED, type Field, isSimulation, type JobForm, STANDARD } from "../../lib/form/form";
import type { Problems } from "../../lib/form/types";
import { Folded } from "../../components/controls/Folded";
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

const REGISTRATIONS = [
  { value: "0", label: "none" },
  { value: "1", label: "registered with NCCL" },
  { value: "2", label: "symmetric windows of NCCL" },
];

/** Fields that a simulation lacks, as its cluster has them. */
const OF_RANKS: readonly Field[] = ["nodes", "perNode", "rails", "registration", "quiet", "preflight"];

interface Props {
  form: JobForm;
  problems: Problems;
  bind: Bind<Field>;
  onChange: (field: Field, value: string) => void;
}

/** Whether NCCL may move the data; a choice that was made can always be taken back. */
function mayRegister(form: JobForm): boolean {
  const isWithNccl = form.transport === "nccl" || (form.transport === "auto" && form.device === "cuda");
  return !isSimulation(form) && (isWithNccl || form.registration !== STANDARD.registration);
}

/** nccl-tests' finer options: folded unless one of them differs from its default. */
export function Advanced({ form, problems, bind, onChange }: Props) {
  const shown = ADVANCED.filter((field) => !isSimulation(form) || !OF_RANKS.includes(field));
  const isNeeded = shown.some((field) => form[field] !== STANDARD[field] || problems[field]);
  return (
    <Folded className={classes.group} summary="Advanced" isNeeded={isNeeded}>
      <div className={classes.row}>
        <TextField description="Bytes, instead of the factor" {...bind("step")} />
        <TextField description="Whole sweeps" inputMode="numeric" {...bind("cycles")} />
        <TextField description="Operations per iteration" inputMode="numeric" {...bind("aggregate")} />
        <TextField description="Iterations that statistics leave out" inputMode="numeric" {...bind("skip")} />
      </div>
      <div className={classes.row}>
        <SelectField data={BLOCKING} {...bind("blocking")} />
        <SelectField data={AVERAGES} {...bind("average")} />
        {mayRegister(form) && <SelectField data={REGISTRATIONS} {...bind("registration")} />}
        {!isSimulation(form) && <TextField description="Number of rings or trees" placeholder="usual" inputMode="numeric" {...bind("rails")} />}
        <TextField description="Seconds without progress" inputMode="numeric" {...bind("timeout")} />
      </div>
      <div className={classes.row}>
        {!isSimulation(form) && (
          <>
            <TextField description="Exactly so many" placeholder="any" inputMode="numeric" {...bind("nodes")} />
            <TextField description="Exactly so many" placeholder="any" inputMode="numeric" {...bind("perNode")} />
          </>
        )}
        <TextField description="rack=3, zone=a" placeholder="any" {...bind("selector")} />
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
      {!isSimulation(form) && (
        <Checkbox
          name="preflight"
          label="Measure the nodes for two seconds before it starts, and leave out a slow one"
          checked={form.preflight !== "off"}
          error={problems.preflight}
          onChange={(event) => onChange("preflight", event.currentTarget.checked ? "on" : "off")}
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
    </Folded>
  );
}
