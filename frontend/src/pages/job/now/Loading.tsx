/** The activity of the ranks before their first step. */
import { useQuery } from "@tanstack/react-query";
import { activityQuery } from "../../../data/activity";
import { activityWords } from "./activity";
import classes from "./Now.module.css";

export function Loading({ jobId }: { jobId: number }) {
  const { data = [] } = useQuery(activityQuery(jobId));
  return (
    <div className={`dim ${classes.none}`}>
      <p>No step has arrived yet.</p>
      {data.map((activity) => (
        <p key={activity.doing}>{activityWords(activity)}</p>
      ))}
    </div>
  );
}
