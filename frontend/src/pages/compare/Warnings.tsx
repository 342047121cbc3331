import type { JobView } from "../../api/types";
import { warnings } from "../../lib/sweep/compare";
import classes from "./ComparePage.module.css";

/** What the differences of two trainings or searches may come from, as the server says it of two benchmarks. */
export function Warnings({ job, base }: { job: JobView; base: JobView }) {
  return warnings(job, base).map((words) => (
    <p key={words} className={classes.obstacles}>
      <span aria-hidden="true">⚠ </span>
      {words}
    </p>
  ));
}
