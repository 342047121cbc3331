import { listOf } from "../../lib/form";
import classes from "./SubmitPage.module.css";

interface Props {
  names: readonly string[];
  /** Comma-separated. */
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

/** The algorithms as checkboxes that look like chips, in the colours that the charts use. */
export function AlgorithmChips({ names, value, problem, onChange }: Props) {
  const chosen = listOf(value);
  const toggle = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((item) => item !== name) : [...chosen, name];
    onChange(names.filter((item) => next.includes(item)).join(","));
  };
  return (
    <fieldset className={classes.chips} aria-describedby={problem && "algorithms-problem"}>
      <legend>Algorithms, side by side</legend>
      {names.map((name) => (
        <label key={name} className={classes.chip}>
          <input
            type="checkbox"
            name="algorithms"
            value={name}
            checked={chosen.includes(name)}
            aria-invalid={problem !== undefined}
            onChange={() => toggle(name)}
          />
          <span className={classes.swatch} style={{ background: `var(--algorithm-${name})` }} />
          {name}
        </label>
      ))}
      {problem && (
        <p id="algorithms-problem" className={classes.problem}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}
