import { NativeSelect } from "@mantine/core";
import type { Collective, Engine } from "../../api/types";
import { DraftInput } from "../../components/controls/DraftInput";
import { Swatch } from "../../components/marks/Swatch";
import { digits, typedDigits } from "../../lib/amount";
import { COLLECTIVES } from "../../lib/collectives";
import { gigabytes, hiddenFields, type PlanField } from "../../lib/form/planForm";
import { bound, type FieldProps } from "./field";
import classes from "./PlanPage.module.css";
import { Slider } from "./Slider";

interface Props extends FieldProps {
  engine: Engine | undefined;
}

/** The algorithms, and the figures of the model that most plans leave as they are. */
export function PlanFields({ form, engine, problems, links, isFitted, onChange }: Props) {
  const bind = bound(form, problems, onChange);
  const hidden = hiddenFields(form, isFitted);
  const has = (field: PlanField): boolean => !hidden.includes(field);
  return (
    <section className="card" aria-labelledby="fields">
      <div className="card-head">
        <h2 id="fields">Algorithms and network</h2>
      </div>
      <div className={`card-body ${classes.fields}`}>
        <Algorithms form={form} engine={engine} problems={problems} onChange={onChange} />
        <div className={classes.row}>
          {has("alpha") && (
            <div className={classes.field}>
              <DraftInput label="Latency α" description="5us; empty: the link's, 0 for a rate" {...bind("alpha")} />
              {links && (
                <Slider
                  label="Latency α"
                  value={Math.max(links.latencyS * 1e6, 0.1)}
                  from={0.1}
                  to={1000}
                  text={`${digits(links.latencyS * 1e6)} µs`}
                  onCommit={(latency) => onChange({ alpha: `${typedDigits(latency)}us` })}
                />
              )}
            </div>
          )}
          {has("gamma") && (
            <div className={classes.field}>
              <DraftInput label="Adding 1/γ" description="50GB/s; empty: it takes no time" {...bind("gamma")} />
              <Adding gamma={form.gamma} onChange={onChange} />
            </div>
          )}
          {has("intra") && <DraftInput label="Link inside nodes" description="nvlink4 … or 450GB/s" list="plan-links" {...bind("intra")} />}
          {has("nics") && (
            <>
              <DraftInput label="Network cards" description="How many in each node; empty: one per rank" {...bind("nics")} />
              <DraftInput label="Channels" description="Number of rings or trees; empty: one per card" {...bind("channels")} />
              <DraftInput label="Oversubscription" description="Hosts' bandwidth / their rack's uplink" {...bind("oversubscription")} />
            </>
          )}
          {has("servers") && <DraftInput label="Servers" description="Parameter servers or helpers" {...bind("servers")} />}
        </div>
      </div>
    </section>
  );
}

const FASTEST_GB_PER_S = 1000;

/** The speed at which ranks add; the fast end means that adding takes no time. None beside text that is no rate. */
function Adding({ gamma, onChange }: { gamma: string; onChange: Props["onChange"] }) {
  const rate = gigabytes(gamma);
  if (typeof rate === "string") return null;
  return (
    <Slider
      label="Adding 1/γ"
      value={rate ?? FASTEST_GB_PER_S}
      from={1}
      to={FASTEST_GB_PER_S}
      text={rate === null ? "no time" : `${digits(rate)} GB/s`}
      onCommit={(next) => onChange({ gamma: `${typedDigits(next)}GB/s` })}
    />
  );
}

interface AlgorithmsProps {
  form: Props["form"];
  engine: Engine | undefined;
  problems: Props["problems"];
  onChange: Props["onChange"];
}

/** The collective and its algorithms, each with its line in the charts. */
function Algorithms({ form, engine, problems, onChange }: AlgorithmsProps) {
  const problem = problems.algorithms;
  const names = Object.keys(COLLECTIVES) as Collective[];
  const collective = names.find((name) => name === form.collective);
  const priced = (collective && engine?.collectives[collective]?.priced) ?? [];
  const chosen = form.algorithms.split(",").filter(Boolean);
  const choose = (name: string): void => {
    const all = [...priced, ...chosen.filter((one) => !priced.includes(one))];
    const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
    if (next.length > 0) onChange({ algorithms: all.filter((one) => next.includes(one)).join(",") });
  };
  const take = (name: string): void =>
    onChange({ collective: name, algorithms: name === "all_reduce" ? undefined : (engine?.collectives[name as Collective]?.priced ?? []).join(",") });
  return (
    <div className={classes.algorithms}>
      <NativeSelect
        label="Collective"
        data={names.map((name) => ({ value: name, label: COLLECTIVES[name].name }))}
        value={form.collective}
        error={problems.collective}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <fieldset className={classes.chips} aria-describedby={problem && "plan-algorithms-problem"}>
        <legend>Algorithms, side by side</legend>
        {priced.map((name) => (
          <label key={name} className={classes.chip}>
            <input type="checkbox" checked={chosen.includes(name)} aria-invalid={problem !== undefined} onChange={() => choose(name)} />
            {name} <Swatch algorithm={name} />
          </label>
        ))}
        {problem && (
          <p id="plan-algorithms-problem" className={classes.problem}>
            {problem}
          </p>
        )}
      </fieldset>
    </div>
  );
}
