import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { PLAN_PRESETS } from "../../lib/form/planForm";
import classes from "./PlanPage.module.css";

/** The lecture's cases, ready to look at. */
export function Presets() {
  return (
    <ul className={classes.presets} aria-label="Ready cases">
      {PLAN_PRESETS.map(({ name, about, search }) => (
        <li key={name}>
          <Button title={about} renderRoot={(props) => <Link to="/plan" search={search} {...props} />}>
            {name}
          </Button>
        </li>
      ))}
    </ul>
  );
}
