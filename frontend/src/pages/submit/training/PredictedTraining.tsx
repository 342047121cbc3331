/** The prediction for the training in the form: its size, the time of an all-reduce, the speed of a comparable job. */
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { ApiError } from "../../../api/client";
import type { JobSpec, TrainingPrediction } from "../../../api/types";
import { Loaded } from "../../../components/states/Loaded";
import { Properties } from "../../../components/Properties";
import { Skeleton } from "../../../components/states/Skeleton";
import { type JobCheck, trainingPredictionQuery, TYPING_MS } from "../../../data/prediction";
import { overLimit } from "../TimeLimit";
import { sumWords, trainingItems, baselineWords } from "./trainingPrediction";
import classes from "../SubmitPage.module.css";
import { Warnings } from "../../../components/states/Warnings";

interface Props {
  spec: JobSpec;
  /** Null: it is loading. */
  check: JobCheck | null;
}

/** The height of the content, in rows of a table. */
const ROWS = 5;

export function PredictedTraining({ spec, check }: Props) {
  const [asked] = useDebouncedValue(JSON.stringify(spec), TYPING_MS);
  const settled = useMemo(() => JSON.parse(asked) as JobSpec, [asked]);
  // A form that the server refuses gets no prediction.
  const prediction = useQuery({ ...trainingPredictionQuery(settled), enabled: check !== null });
  // Problems of fields are shown beside them.
  if (prediction.error instanceof ApiError && prediction.error.status === 422) return <p className="dim">No prediction yet.</p>;
  if (!check) return <Skeleton rows={ROWS} isBare />;
  return (
    <Loaded query={prediction} what="The prediction could not be loaded" rows={ROWS} isBare>
      {(found) => <TrainingFigures found={found} limitSeconds={settled.time_limit_seconds} isFetching={prediction.isFetching} />}
    </Loaded>
  );
}

function TrainingFigures({ found, limitSeconds, isFetching }: { found: TrainingPrediction; limitSeconds: number; isFetching: boolean }) {
  const { baseline } = found;
  const words = sumWords(found);
  return (
    <div className={classes.predicted} aria-busy={isFetching}>
      <Properties items={trainingItems(found)} />
      <Warnings warnings={[...overLimit(baseline?.steps_seconds, limitSeconds), ...found.warnings]} />
      {words && <p className="dim">{words}</p>}
      {baseline && (
        <p>
          <Link to="/jobs/$jobId" params={{ jobId: baseline.job_id }}>
            Job {baseline.job_id}
          </Link>{" "}
          {baselineWords(baseline)}
        </p>
      )}
    </div>
  );
}
