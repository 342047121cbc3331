import type { JobView } from "../../api/types";
import { Buckets } from "./Buckets";
import { Curve } from "./Curve";
import { Epochs } from "./Epochs";

/** What training told of itself: its curve, its epochs, and where its steps waited for the network. */
export function TrainingResults({ job }: { job: JobView }) {
  return (
    <>
      <Curve job={job} />
      <Epochs job={job} />
      <Buckets job={job} />
    </>
  );
}
