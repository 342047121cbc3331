/** A new job that runs a Python file on the nodes. */
import { Checkbox, Textarea } from "@mantine/core";
import { SelectField, TextField } from "../../../components/controls/fields";
import type { Engine, JobSpec } from "../../../api/types";
import { withChanges } from "../../../lib/form/formSearch";
import { emptyScript, SCRIPT_FIELDS } from "../../../lib/form/scriptForm";
import { formToSpec, specToForm } from "../../../lib/form/specForm";
import { binder, choices as options } from "../bind";
import { FormFrame } from "../FormFrame";
import { Limits } from "../Limits";
import { NodeChoice } from "../NodeChoice";
import { Ranks } from "../Ranks";
import { TimeLimit } from "../TimeLimit";
import classes from "../SubmitPage.module.css";
import { useFormState } from "../useFormState";

interface Props {
  choices: Engine["training"];
  /** The initial specification. */
  base: JobSpec | undefined;
  from: string | undefined;
}

export function ScriptForm({ choices, base, from }: Props) {
  const plain = base ?? emptyScript(choices.defaults);
  const start = specToForm(SCRIPT_FIELDS, plain);
  const { form, change, opening } = useFormState(start, (search) => withChanges(start, search));
  return (
    <FormFrame
      key={opening}
      from={from}
      spec={formToSpec(SCRIPT_FIELDS, form, plain)}
      table={SCRIPT_FIELDS}
      form={form}
      start={start}
      preview={<p className="dim">Each rank runs the file with Python.</p>}
      hasCommand={form.file !== ""}
      fields={(problems) => {
        const bind = binder(SCRIPT_FIELDS, form, problems, (field, value) => change({ [field]: value }));
        return (
          <div className={`card ${classes.fields}`}>
            <section aria-labelledby="what" className={classes.group}>
              <h2 id="what">What to run</h2>
              <TextField description="A .py file below the folder that the agents were started with (--scripts)" {...bind("file")} />
              <Textarea description="One per line" rows={3} {...bind("arguments")} />
              <TextField description="Below the same folder; empty: the file's own" {...bind("folder")} />
              <Checkbox
                name="module"
                label={SCRIPT_FIELDS.module.label}
                checked={form.module === "on"}
                error={problems.module}
                onChange={(event) => change({ module: event.currentTarget.checked ? "on" : "off" })}
              />
              <Checkbox
                name="noWatch"
                label={SCRIPT_FIELDS.noWatch.label}
                description="They are those of PyTorch, and show on the job's page"
                checked={form.noWatch === "on"}
                error={problems.noWatch}
                onChange={(event) => change({ noWatch: event.currentTarget.checked ? "on" : "off" })}
              />
            </section>
            <section aria-labelledby="where" className={classes.group}>
              <h2 id="where">Where and limits</h2>
              <div className={classes.row}>
                <Ranks bound={bind("ranks")} />
                <TextField description="Empty: as few as possible" inputMode="numeric" {...bind("nodes")} />
                <SelectField description="auto: GPUs where there are any" data={options(choices.fields.device ?? [], form.device)} {...bind("device")} />
                <TimeLimit bound={bind("limit")} />
                <TextField description="0 to 100, higher first" inputMode="numeric" {...bind("priority")} />
                <TextField description="rack=3, zone=a" placeholder="any" {...bind("selector")} />
                <TextField className={classes.wide ?? ""} description="Name for searching" maxLength={200} {...bind("name")} />
              </div>
              <Limits bind={bind} />
              <NodeChoice selector={form.selector} onChange={(selector) => change({ selector })} />
            </section>
          </div>
        );
      }}
    />
  );
}
