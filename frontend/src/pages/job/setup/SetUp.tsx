import type { JobView } from "../../../api/types";
import { Configuration } from "./Configuration";
import { Environment } from "./Environment";
import classes from "../JobPage.module.css";

/** What was asked for, beside what it ran in. */
export function SetUp({ job }: { job: JobView }) {
  return (
    <div className={classes.columns}>
      <Configuration job={job} />
      <Environment job={job} />
    </div>
  );
}
