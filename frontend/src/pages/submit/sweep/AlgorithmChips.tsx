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

/** The algorithms as checkboxes, each with its line in the charts and with what a rank sends. */
export function AlgorithmChips({ collective, names, value, problem, onChange }: Props) {
  const chosen = listOf(value);
  const toggle = (name: string): void => {
    const next = chosen.includes(name) ? chosen.filter((item) => item !== name) : [...chosen, name];
    onChange(names.filter((item) => next.includes(item)).join(","));
  };
  return (
    <fieldset className={classes.chips} aria-describedby={problem && "algorithms-problem"}>
      <legend>Algorithms, side by side</legend>
      {names.map((name) => (
        <Chip
          key={name}
          name={name}
          sends={whatARankSends(collective, name)}
          isChosen={chosen.includes(name)}
          isInvalid={problem !== undefined}
          onToggle={() => toggle(name)}
        />
      ))}
      {problem && (
        <p id="algorithms-problem" className={classes.problem}>
          {problem}
        </p>
      )}
    </fieldset>
  );
}

interface ChipProps {
  name: string;
  sends: string;
  isChosen: boolean;
  isInvalid: boolean;
  onToggle: () => void;
}

function Chip({ name, sends, isChosen, isInvalid, onToggle }: ChipProps) {
  const id = useId();
  return (
    <label className={classes.chip}>
      <input
        type="checkbox"
        name="algorithms"
        value={name}
        checked={isChosen}
        aria-labelledby={`${id}-name`}
        aria-describedby={`${id}-sends`}
        aria-invalid={isInvalid}
        onChange={onToggle}
      />
      <span id={`${id}-name`} className={classes.algorithm}>
        {name}
      </span>
      <Swatch algorithm={name} />
      <span id={`${id}-sends`} className={classes.sends}>
        {sends}
      </span>
    </label>
  );
}
