import { Checkbox } from "@mantine/core";
import { SelectField, TextField } from "../../../components/controls/fields";
import { Folded } from "../../../components/controls/Folded";
import { GRADIENT_FIELDS, isTold, isUsed } from "../../../lib/form/trainingForm";
import classes from "../SubmitPage.module.css";
import { select, type TrainingPart } from "./trainingPart";

/** How gradients are computed and summed: folded unless one of the fields differs from its default. */
export function Gradients(part: TrainingPart) {
  const { form, standard, problems, bind, onChange } = part;
  return (
    <Folded className={classes.group} summary="Gradients" isNeeded={isTold(GRADIENT_FIELDS, form, standard, problems)}>
      <div className={classes.row}>
        <TextField description="Batches before a sum" inputMode="numeric" {...bind("accumulation_steps")} />
        <TextField description="Size of the pieces that are summed" {...bind("bucket_bytes")} />
        <TextField description="Largest global norm; empty: none" inputMode="decimal" {...bind("clip_norm")} />
        <SelectField description="speed: faster ranks get more samples" {...select(part, "batch_split")} />
      </div>
      <div className={classes.row}>
        <SelectField description="What travels" {...select(part, "compression")} />
        {(form.compression === "top_k" || isTold(["top_k_percent"], form, standard, problems)) && (
          <TextField description="Part of the gradient that is sent" inputMode="decimal" {...bind("top_k_percent")} />
        )}
        {(form.compression === "powersgd" || isTold(["powersgd_rank"], form, standard, problems)) && (
          <TextField description="Columns of a factor" inputMode="numeric" {...bind("powersgd_rank")} />
        )}
        <SelectField description="How our algorithms move data" {...select(part, "transport")} />
        <SelectField description="auto: GPUs where there are any" {...select(part, "device")} />
      </div>
      {isUsed("compile", form.strategy, part.choices) && (
        <Checkbox
          name="compile"
          label="Compile forward and backward with torch.compile; no sum overlaps with backward then"
          checked={form.compile === "on"}
          error={problems.compile}
          onChange={(event) => onChange("compile", event.currentTarget.checked ? "on" : "off")}
        />
      )}
      <Checkbox
        name="overlap"
        label="Sum the first buckets while backward computes the others"
        checked={form.overlap === "on"}
        error={problems.overlap}
        onChange={(event) => onChange("overlap", event.currentTarget.checked ? "on" : "off")}
      />
    </Folded>
  );
}
