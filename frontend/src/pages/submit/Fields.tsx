/** The inputs of the submit form; each shows its problem. */
import { Checkbox } from "@mantine/core";
import { SelectField, TextField } from "../../components/controls/fields";
import type { Engine } from "../../api/types";
import { type Field, isSimulation, type JobForm, SWEEP_FIELDS } from "../../lib/form/form";
import type { Problems } from "../../lib/form/types";
import { binder, choices } from "./bind";
import { Advanced } from "./Advanced";
import { Call } from "./Call";
import { NodeChoice } from "./NodeChoice";
import { Ranks } from "./Ranks";
import { SimulatedCluster } from "./sweep/SimulatedCluster";
import { TimeLimit } from "./TimeLimit";
import classes from "./SubmitPage.module.css";

interface Props {
  engine: Engine;
  form: JobForm;
  problems: Problems;
  /** The part of its placement that comes from an earlier job, besides the fields. */
  carried: string | null;
  onChange: (field: Field, value: string) => void;
}

export function Fields({ engine, form, problems, carried, onChange }: Props) {
  const bind = binder(SWEEP_FIELDS, form, problems, onChange);
  const simulation = isSimulation(form);
  return (
    <div className={`card ${classes.fields}`}>
      {simulation && <SimulatedCluster links={engine.links} bind={bind} />}
      <section aria-labelledby="where" className={classes.group}>
        <h2 id="where">Where</h2>
        <div className={classes.row}>
          {!simulation && (
            <Ranks bound={bind("ranks")} />
          )}
          <TextField className={classes.wide ?? ""} description="Name for searching" maxLength={200} {...bind("name")} />
        </div>
        {!simulation && <NodeChoice selector={form.selector} onChange={(selector) => onChange("selector", selector)} />}
        {carried && <p className="dim">As in the earlier job: {carried}.</p>}
      </section>
      <section aria-labelledby="what" className={classes.group}>
        <h2 id="what">What to measure</h2>
        <Call engine={engine} form={form} problem={problems.algorithms} bind={bind} onChange={onChange} />
        <div className={classes.row}>
          <SelectField data={choices(engine.dtypes, form.dtype)} {...bind("dtype")} />
          <SelectField data={choices(engine.transports, form.transport)} {...bind("transport")} />
          {!simulation && <SelectField data={choices(engine.training.fields.device ?? [], form.device)} {...bind("device")} />}
        </div>
        {!simulation && (
          <Checkbox
            name="check"
            label="Compare every element with the exact answer after each size"
            checked={form.check === "on"}
            error={problems.check}
            onChange={(event) => onChange("check", event.currentTarget.checked ? "on" : "off")}
          />
        )}
      </section>
      <section aria-labelledby="sizes" className={classes.group}>
        <h2 id="sizes">Message sizes</h2>
        <div className={classes.row}>
          <TextField description="8, 64K or 16 MiB" {...bind("min")} />
          <TextField description="8, 64K or 16 MiB" {...bind("max")} />
          <TextField description="Each size / the size before" inputMode="numeric" {...bind("factor")} />
        </div>
      </section>
      <section aria-labelledby="effort" className={classes.group}>
        <h2 id="effort">Effort and limits</h2>
        <div className={classes.row}>
          <TextField description="Timed, each size" inputMode="numeric" {...bind("iterations")} />
          <TextField description="Untimed, each size" inputMode="numeric" {...bind("warmup")} />
          <TimeLimit bound={bind("limit")} />
          <TextField description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
        </div>
      </section>
      <Advanced form={form} problems={problems} bind={bind} onChange={onChange} />
    </div>
  );
}
