import { useId } from "react";
import type { Collective } from "../../../api/types";
import { Swatch } from "../../../components/marks/Swatch";
import { whatARankSends } from "../../../lib/collectives";
import { listOf } from "../../../lib/form/form";
import classes from "../SubmitPage.module.css";

interface Props {
  collective: Collective;
  names: readonly string[];
  /** Comma-separated. */
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

/** The algorithms as checkboxes, each with its line in the charts; what a rank sends opens on request. */
export function AlgorithmChips({ collective, names, value, problem, onChange }: Props) {
  const id = useId();
  const chosen = listOf(value);
  const toggle = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((item) => item !== name) : [...chosen, name];
    onChange(names.filter((item) => next.includes(item)).join(","));
  };
  return (
    <fieldset className={classes.chips} aria-describedby={problem && "algorithms-problem"}>
      <legend>Algorithms, side by side</legend>
      {names.map((name) => (
        <label key={name} className={classes.chip} title={whatARankSends(collective, name)}>
          <input
            type="checkbox"
            name="algorithms"
            value={name}
            checked={chosen.includes(name)}
            aria-labelledby={`${id}-${name}`}
            aria-describedby={`${id}-${name}-sends`}
            aria-invalid={problem !== undefined}
            onChange={() => toggle(name)}
          />
          <span id={`${id}-${name}`}>{name}</span>
          <Swatch algorithm={name} />
        </label>
      ))}
      <details className={classes.explained}>
        <summary>What each algorithm does</summary>
        <dl>
          {names.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd id={`${id}-${name}-sends`}>{whatARankSends(collective, name)}</dd>
            </div>
          ))}
        </dl>
      </details>
      {problem && (
        <p id="algorithms-problem" className={classes.problem}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}
