/** The inputs of the submit form; each shows the server's own sentence when it was refused. */
import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import type { Engine } from "../../api/types";
import { type Field, isSimulation, type JobForm } from "../../lib/form";
import type { Problems } from "../../lib/specForm";
import { binder, choices } from "./bind";
import { Advanced } from "./Advanced";
import { Call } from "./Call";
import { SimulatedCluster } from "./SimulatedCluster";
import classes from "./SubmitPage.module.css";

interface Props {
  engine: Engine;
  form: JobForm;
  problems: Problems;
  slots: { busy: number; total: number } | null;
  onChange: (field: Field, value: string) => void;
}

export function Fields({ engine, form, problems, slots, onChange }: Props) {
  const bind = binder(form, problems, onChange);
  const simulation = isSimulation(form);
  return (
    <div className={`card ${classes.fields}`}>
      <section aria-labelledby="what" className={classes.group}>
        <h2 id="what">What to measure</h2>
        <Call engine={engine} form={form} problem={problems.algorithms} bind={bind} onChange={onChange} />
        <div className={classes.row}>
          <NativeSelect label="Data type" data={choices(engine.dtypes, form.dtype)} {...bind("dtype")} />
          <NativeSelect label="Transport" data={choices(engine.transports, form.transport)} {...bind("transport")} />
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
      {simulation && <SimulatedCluster links={engine.links} bind={bind} />}
      <section aria-labelledby="where" className={classes.group}>
        <h2 id="where">Where</h2>
        <div className={classes.row}>
          {!simulation && (
            <TextInput
              label="Ranks"
              inputMode="numeric"
              description={slots && `${slots.total - slots.busy} of ${slots.total} slots are free now`}
              {...bind("ranks")}
            />
          )}
          <TextInput className={classes.wide ?? ""} label="Name (optional)" description="To find it again" maxLength={200} {...bind("name")} />
        </div>
      </section>
      <section aria-labelledby="sizes" className={classes.group}>
        <h2 id="sizes">Message sizes</h2>
        <div className={classes.row}>
          <TextInput label="Smallest" description="8, 64K or 16 MiB" {...bind("min")} />
          <TextInput label="Largest" description="8, 64K or 16 MiB" {...bind("max")} />
          <TextInput label="Factor" description="From size to size" inputMode="numeric" {...bind("factor")} />
        </div>
      </section>
      <section aria-labelledby="effort" className={classes.group}>
        <h2 id="effort">Effort and limits</h2>
        <div className={classes.row}>
          <TextInput label="Iterations" description="Timed, each size" inputMode="numeric" {...bind("iterations")} />
          <TextInput label="Warm-up" description="Untimed, each size" inputMode="numeric" {...bind("warmup")} />
          <TextInput label="Time limit" description="Seconds" inputMode="numeric" {...bind("limit")} />
          <TextInput label="Priority" description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
        </div>
      </section>
      <Advanced form={form} problems={problems} bind={bind} onChange={onChange} />
    </div>
  );
}
