import { Link } from "@tanstack/react-router";
import type { JobView } from "../../../api/types";
import { Fact } from "../../../components/Fact";
import { useRole } from "../../../components/hooks/useRole";
import { formatDuration, formatRate, percent, threeDigits } from "../../../lib/format";
import { isTerminal } from "../../../lib/state";

/** The results of training: loss, accuracy, throughput, time to accuracy, scaling. */
export function TrainingFacts({ job, where }: { job: JobView; where: string }) {
  const { summary } = job;
  if (summary.kind === "benchmark") return null;
  if (job.spec.strategy_search || job.spec.diagnosis) {
    return (
      <>
        {job.spec.strategy_search && <Fact label="Winner" value={summary.winner ?? "–"} note="of its candidates" />}
        <Fact label="Ranks" value={job.ranks} note={where} />
      </>
    );
  }
  const { exposed_communication_seconds: exposed, input_seconds: input, step_seconds: inSteps, validation_accuracy: accuracy } = summary;
  const rate = summary.samples_per_second;
  const isScript = summary.kind === "script"; // which may report no loss and no accuracy
  return (
    <>
      {(!isScript || summary.loss != null || summary.is_diverged) && <Fact label="Loss" value={summary.loss == null ? "–" : threeDigits(summary.loss)} note={summary.epochs_done > 0 ? "of the newest epoch" : "of the newest step"} />}
      {(!isScript || accuracy != null) && <Fact label="Accuracy" value={accuracy == null ? "–" : percent(accuracy)} note="of held-out samples" />}
      <Fact
        label="Throughput"
        value={rate == null ? "–" : formatRate(rate)}
        unit="samples/s"
        note={inSteps && exposed != null ? waits(exposed / inSteps, (input ?? 0) / inSteps) : job.ranks > 1 ? "of all ranks" : "of one rank"}
      />
      <TargetFact target={job.spec.training?.target_accuracy ?? null} seconds={summary.seconds_to_target} />
      {job.ranks > 1 && <ScalingFact job={job} efficiency={summary.scaling_efficiency} baseline={summary.scaling_baseline_job_id} />}
      <Fact label="Ranks" value={job.ranks} note={where} />
    </>
  );
}

/** The shares of the time in steps; that for samples is left out where it is too short to matter. */
function waits(exposed: number, input: number): string {
  const forSamples = input < 0.01 ? "" : `, ${percent(input)} for samples`;
  return `${percent(exposed)} of the time spent waiting for sums${forSamples}`;
}

/** Time to accuracy, if the job has a target. */
function TargetFact({ target, seconds }: { target: number | null; seconds: number | null | undefined }) {
  if (target === null) return null;
  const value = seconds == null ? "–" : formatDuration(seconds);
  return <Fact label={`Time to ${percent(target)}`} value={value} note={seconds == null ? "not reached" : "in epochs, with validation"} />;
}

interface Scaling {
  job: JobView;
  efficiency: number | null | undefined;
  baseline: number | null | undefined;
}

/** Strategies that one rank alone cannot run. */
const SHARED_WORK = ["parameter_server", "pipeline", "tensor", "tf_parameter_server"];

/** What is missing to tell the scaling: a run of one rank. */
function OneRank({ job }: { job: JobView }) {
  const { mayChange } = useRole();
  const strategy = job.spec.training?.strategy;
  if (!mayChange || !strategy || SHARED_WORK.includes(strategy)) return "one rank alone was not measured";
  return (
    <Link to="/jobs/new" search={{ from: String(job.id), ranks: "1" }}>
      Measure one rank
    </Link>
  );
}

/** The speedup over one rank alone, if that was measured. */
function ScalingFact({ job, efficiency, baseline }: Scaling) {
  if (efficiency == null || baseline == null) {
    return <Fact label="Scaling" value="–" note={isTerminal(job.state) ? <OneRank job={job} /> : "known at the end"} />;
  }
  return (
    <Fact
      label="Scaling"
      value={percent(efficiency)}
      note={
        <>
          of linear,{" "}
          <Link to="/compare" search={{ ids: `${baseline},${job.id}` }}>
            beside job {baseline}
          </Link>{" "}
          of one rank
        </>
      }
    />
  );
}
