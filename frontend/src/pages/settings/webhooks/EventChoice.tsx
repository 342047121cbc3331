import { Checkbox } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { EventType } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { eventTypesQuery } from "../../../data/settings";
import classes from "./EventChoice.module.css";
import { ALL_EVENTS, byNoun, isCovered } from "./events";

interface Props {
  name: string;
  label: string;
  error: string | null;
  /** The patterns that are chosen at first. */
  chosen: readonly string[];
}

/** The events of a webhook as check boxes: all of them, all of a noun, or single types. */
export function EventChoice({ name, label, error, chosen: first }: Props) {
  const types = useQuery(eventTypesQuery);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(first));
  const id = useId();
  const box = (pattern: string, text: string, description?: string) => {
    const isWithin = isCovered(pattern, chosen);
    const toggle = (isOn: boolean): void => setChosen(new Set(isOn ? [...chosen, pattern] : [...chosen].filter((one) => one !== pattern)));
    return (
      <Checkbox
        key={pattern}
        name={name}
        value={pattern}
        label={text}
        description={description}
        checked={isWithin || chosen.has(pattern)}
        disabled={isWithin}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
    );
  };
  return (
    <fieldset className={classes.choice} aria-describedby={error ? id : undefined}>
      <legend>{label}</legend>
      {error && <p id={id} className={classes.error}>{error}</p>}
      {box(ALL_EVENTS, "All events")}
      <Loaded query={types} what="The events could not be loaded" rows={7} isBare>
        {(found) => byNoun(found).map(([noun, ofNoun]) => (
          <details key={noun} open={ofNoun.some(({ type }) => first.includes(type))}>
            <summary>
              {noun.replaceAll("_", " ")} <span className="dim">{count(ofNoun, chosen)} of {ofNoun.length}</span>
            </summary>
            <div className={classes.types}>
              {box(`${noun}.*`, `All ${noun.replaceAll("_", " ")} events`)}
              {ofNoun.map(({ type, meaning }) => box(type, type, meaning))}
            </div>
          </details>
        ))}
      </Loaded>
    </fieldset>
  );
}

function count(types: readonly EventType[], chosen: ReadonlySet<string>): number {
  return types.filter(({ type }) => chosen.has(type) || isCovered(type, chosen)).length;
}
