import { SelectField, TextField } from "../../components/controls/fields";
import type { Collective, Engine } from "../../api/types";
import { COLLECTIVES } from "../../lib/collectives";
import { collectiveOf, type Field, isSimulation, type JobForm } from "../../lib/form/form";
import { AlgorithmChips } from "./sweep/AlgorithmChips";
import { type Bind, choices } from "./bind";
import classes from "./SubmitPage.module.css";

interface Props {
  engine: Engine;
  form: JobForm;
  /** The problem of the algorithms. */
  problem: string | undefined;
  bind: Bind<Field>;
  onChange: (field: Field, value: string) => void;
}

/** The collective with its options, and its algorithms. */
export function Call({ engine, form, problem, bind, onChange }: Props) {
  const collective = collectiveOf(engine, form.collective);
  const options = choices(Object.keys(engine.collectives), form.collective).map((value) => ({
    value,
    label: COLLECTIVES[value as Collective]?.name ?? value,
  }));
  return (
    <>
      <div className={classes.row}>
        <SelectField data={options} {...bind("collective")} />
        {collective?.reduces && (
          <SelectField data={choices(engine.ops, form.op)} {...bind("op")} />
        )}
        {collective?.has_root && <TextField inputMode="numeric" {...bind("root")} />}
      </div>
      {collective && (
        <>
          <p className={`dim ${classes.does}`}>{COLLECTIVES[form.collective as Collective].does} n is the number of ranks.</p>
          <AlgorithmChips
            collective={form.collective as Collective}
            names={isSimulation(form) ? collective.simulated : collective.algorithms}
            value={form.algorithms}
            problem={problem}
            onChange={(value) => onChange("algorithms", value)}
          />
        </>
      )}
    </>
  );
}
