import { Button } from "@mantine/core";
import { useId } from "react";
import { type CandidateChoice, candidatesText, candidateWords, chosenCandidates } from "../../../lib/form/searchForm";
import classes from "../SubmitPage.module.css";

interface Props {
  candidates: readonly CandidateChoice[];
  /** Names with commas, or all. */
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

/** The candidates as checkboxes; what each of them is opens on request. */
export function Candidates({ candidates, value, problem, onChange }: Props) {
  const id = useId();
  const chosen = chosenCandidates(value, candidates);
  const toggle = (name: string): void => {
    onChange(candidatesText(chosen.includes(name) ? chosen.filter((item) => item !== name) : [...chosen, name], candidates));
  };
  const isAll = chosen.length === candidates.length;
  return (
    <fieldset className={`${classes.chips} ${classes.candidates}`} aria-describedby={problem && `${id}-problem`}>
      <legend>Candidates, in turns</legend>
      {candidates.map((candidate) => (
        <label key={candidate.name} className={classes.chip} title={candidateWords(candidate)}>
          <input
            type="checkbox"
            name="strategies"
            value={candidate.name}
            checked={chosen.includes(candidate.name)}
            aria-invalid={problem !== undefined}
            onChange={() => toggle(candidate.name)}
          />
          <span>{candidate.name}</span>
        </label>
      ))}
      {problem && (
        <p id={`${id}-problem`} className={classes.problem}>
          {problem}
        </p>
      )}
      <div className={classes.choose}>
        <Button onClick={() => onChange(isAll ? "" : "all")}>{isAll ? "Choose none" : "Choose all"}</Button>
      </div>
      <details className={classes.explained}>
        <summary>What each candidate is</summary>
        <dl>
          {candidates.map((candidate) => (
            <div key={candidate.name}>
              <dt>{candidate.name}</dt>
              <dd>{candidateWords(candidate)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </fieldset>
  );
}
