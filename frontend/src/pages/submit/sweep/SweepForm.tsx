/** A new sweep: presets, the fields, and how many rows it will have. */
import { Button } from "@mantine/core";
import { useSlots } from "../../../components/hooks/useSlots";
import type { BenchmarkSpec, Engine } from "../../../api/types";
import { carriedWords } from "../carried";
import {
  countRows, type Field, fromSpec, hiddenFields, type JobForm, PRESETS, STANDARD, SWEEP_FIELDS, sweepProblems, toSpec, withCollective,
  withTransport,
} from "../../../lib/form/form";
import { opened, usualRanks } from "../../../lib/form/formSearch";
import { Fields } from "../Fields";
import { PredictedSweep } from "./PredictedSweep";
import { FormFrame } from "../FormFrame";
import { Preview } from "../Preview";
import classes from "../SubmitPage.module.css";
import { useFormState } from "../useFormState";

interface Props {
  engine: Engine;
  /** The initial specification. */
  base: BenchmarkSpec | undefined;
  from: string | undefined;
}

/** Defaults differ from cluster to cluster, but a URL means the same on each. */
const HANGS_ON_CLUSTER = ["ranks"];

export function SweepForm({ engine, base, from }: Props) {
  const slots = useSlots();
  const start = base ? fromSpec(base) : { ...STANDARD, ranks: usualRanks(slots?.total) };
  const { form, change, opening } = useFormState(start, (search) => opened(start, search, engine), base ? [] : HANGS_ON_CLUSTER);
  return (
    <FormFrame
      key={opening}
      from={from}
      spec={toSpec(form, base)}
      table={SWEEP_FIELDS}
      form={form}
      start={start}
      hidden={hiddenFields(form)}
      find={(found) => sweepProblems(form, found)}
      head={<Presets form={form} onChange={change} />}
      preview={<Preview form={form} />}
      prediction={(check) => countRows(form) !== null && <PredictedSweep spec={toSpec(form, base)} check={check} />}
      hasCommand={countRows(form) !== null}
      fields={(problems) => (
        <Fields
          engine={engine}
          form={form}
          problems={problems}
          carried={base ? carriedWords(base) : null}
          onChange={(field: Field, value: string) => change(changed(form, field, value, engine))}
        />
      )}
    />
  );
}

/** The form after a change of one field. */
function changed(form: JobForm, field: Field, value: string, engine: Engine): Partial<JobForm> {
  if (field === "collective") return withCollective(form, value, engine);
  if (field === "transport") return withTransport(form, value, engine);
  return { [field]: value };
}

function Presets({ form, onChange }: { form: JobForm; onChange: (values: Partial<JobForm>) => void }) {
  return (
    <div className={classes.presets} role="group" aria-label="Presets">
      {Object.entries(PRESETS).map(([name, values]) => {
        const isChosen = Object.entries(values).every(([key, value]) => form[key as Field] === value);
        return (
          <Button key={name} aria-pressed={isChosen} data-chosen={isChosen || undefined} onClick={() => onChange(values)}>
            {name}
          </Button>
        );
      })}
    </div>
  );
}
