import type { JobView } from "../../../api/types";
import { Configuration } from "./Configuration";
import { Environment } from "./Environment";
import classes from "../JobPage.module.css";

/** The specification, and the environment in which it ran. */
export function SetUp({ job }: { job: JobView }) {
  return (
    <div className={classes.columns}>
      <Configuration job={job} />
      <Environment job={job} />
    </div>
  );
}
