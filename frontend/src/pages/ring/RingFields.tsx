import { Button, NativeSelect } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Collective, Engine } from "../../api/types";
import { DraftInput } from "../../components/controls/DraftInput";
import { COLLECTIVES, whatARankSends } from "../../lib/collectives";
import type { RingField, RingForm } from "../../lib/form/ringForm";
import classes from "./RingPage.module.css";

interface Props {
  form: RingForm;
  engine: Engine | undefined;
  problems: Partial<Record<RingField, string>>;
  onChange: (field: RingField, value: string) => void;
}

const EXAMPLES: readonly (readonly [string, Partial<RingForm>])[] = [
  ["2,4,6 · 1,2,3 · 4,8,12", {}],
  ["8 ranks", { n: "8" }],
  ["2 nodes of 4", { n: "2x4", algorithm: "hierarchical" }],
  ["32 ranks", { n: "32" }],
];

/** Examples to begin with. */
export function Examples() {
  return (
    <div className={classes.examples}>
      {EXAMPLES.map(([name, search]) => (
        <Button key={name} renderRoot={(props) => <Link to="/ring" search={search} {...props} />}>
          {name}
        </Button>
      ))}
    </div>
  );
}

/** The choice of algorithm and numbers. */
export function RingFields({ form, engine, problems, onChange }: Props) {
  const names = Object.keys(COLLECTIVES) as Collective[];
  const collective = names.find((name) => name === form.collective);
  const algorithms = (collective && engine?.collectives[collective]?.simulated) ?? [];
  const shown = algorithms.some((name) => name === form.algorithm) ? algorithms : [form.algorithm, ...algorithms];
  return (
    <section className={`card ${classes.fields}`} aria-label="What is shown">
      <div className={classes.row}>
        <NativeSelect
          label="Collective"
          data={names.map((name) => ({ value: name, label: COLLECTIVES[name].name }))}
          value={form.collective}
          error={problems.collective}
          onChange={(event) => onChange("collective", event.currentTarget.value)}
        />
        <NativeSelect
          label="Algorithm"
          data={shown}
          value={form.algorithm}
          error={problems.algorithm}
          onChange={(event) => onChange("algorithm", event.currentTarget.value)}
        />
        <DraftInput
          label="Numbers"
          description="A row for each rank: 2,4,6;1,2,3. Empty: rank r holds r+1"
          className={classes.wide ?? ""}
          value={form.values}
          error={problems.values}
          onCommit={(text) => onChange("values", text)}
        />
        <DraftInput
          label="Ranks"
          description="8 or 2x4; empty: one a row"
          value={form.n}
          error={problems.n}
          onCommit={(text) => onChange("n", text)}
        />
        <DraftInput
          label="Each number counts as"
          description="4 (bytes), 1MiB: for the times"
          value={form.each}
          error={problems.each}
          onCommit={(text) => onChange("each", text)}
        />
        {collective && engine?.collectives[collective]?.has_root && (
          <DraftInput label="Root" description="A rank, from 0" value={form.root} error={problems.root} onCommit={(text) => onChange("root", text)} />
        )}
      </div>
      {collective && <p className="dim">{whatARankSends(collective, form.algorithm)}</p>}
    </section>
  );
}
