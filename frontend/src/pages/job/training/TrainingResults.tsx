import { Suspense } from "react";
import { lazyPart } from "../../../components/lazyPart";
import type { JobView } from "../../../api/types";
import { Buckets } from "./Buckets";
import { TrainingCurve } from "./TrainingCurve";
import { Epochs } from "./Epochs";

const Pipeline = lazyPart(async () => (await import("./Pipeline")).Pipeline);

const Tensor = lazyPart(async () => (await import("./Tensor")).Tensor);

const CalledCollectives = lazyPart(async () => (await import("./CalledCollectives")).CalledCollectives);

const Diagnosis = lazyPart(async () => (await import("../diagnosis/Diagnosis")).Diagnosis);

const Search = lazyPart(async () => (await import("./Search")).Search);

/** The reports of training: its curve, the timelines within a step, and last its epochs, whose number grows. */
export function TrainingResults({ job }: { job: JobView }) {
  if (job.spec.strategy_search) {
    return (
      <Suspense fallback={null}>
        <Search job={job} />
      </Suspense>
    );
  }
  if (job.spec.diagnosis) {
    return (
      <Suspense fallback={null}>
        <Diagnosis job={job} />
      </Suspense>
    );
  }
  return (
    <>
      <TrainingCurve job={job} />
      {job.spec.script && (
        <Suspense fallback={null}>
          <CalledCollectives job={job} />
        </Suspense>
      )}
      {job.spec.training?.strategy === "pipeline" && (
        <Suspense fallback={null}>
          <Pipeline job={job} />
        </Suspense>
      )}
      {job.spec.training?.strategy === "tensor" ? (
        <Suspense fallback={null}>
          <Tensor job={job} />
        </Suspense>
      ) : (
        <Buckets job={job} />
      )}
      <Epochs job={job} />
    </>
  );
}
