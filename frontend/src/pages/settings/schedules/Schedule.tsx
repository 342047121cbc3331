import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, unwrap } from "../../../api/client";
import { schedulesQuery, upcomingQuery } from "../../../data/settings";
import type { JobSpec, ScheduleBody, ScheduleView } from "../../../api/types";
import { Dialog } from "../../../components/controls/Dialog";
import { Loaded } from "../../../components/states/Loaded";
import { CopyMenu } from "../../../components/controls/CopyMenu";
import { SameJob } from "../../../components/marks/SameJob";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import { threeDigits } from "../../../lib/format";
import { asksForModel } from "../../../lib/state";
import { ConfirmDialog } from "../ConfirmDialog";
import { TimeList } from "./NextTimes";
import { ScheduleForm } from "./ScheduleForm";
import classes from "../Settings.module.css";

interface Props {
  schedule: ScheduleView;
  mayChange: boolean;
}

/** One schedule: its next times, its job, and its actions. */
export function Schedule({ schedule, mayChange }: Props) {
  const { id, name } = schedule;
  return (
    <section className="card" aria-labelledby="schedule">
      <div className="card-head">
        <h2 id="schedule">
          <Simulated schedule={schedule} />
          {name}
        </h2>
        <CopyMenu command={`ringscope schedule show ${name}`} path={`/schedules/${id}`} />
        {mayChange && <Actions schedule={schedule} />}
      </div>
      <div className={`card-body ${classes.detail}`}>
        <Upcoming schedule={schedule} />
        <SameJob spec={specOf(schedule)} />
      </div>
    </section>
  );
}

/** A badge before the name of a schedule whose jobs are simulations. */
export function Simulated({ schedule }: { schedule: ScheduleView }) {
  return (
    asksForModel(specOf(schedule)) && (
      <>
        <SimulatedBadge />{" "}
      </>
    )
  );
}

/** The job that a schedule submits. */
export function specOf({ spec }: ScheduleView): JobSpec {
  return spec as unknown as JobSpec;
}

function Upcoming({ schedule }: { schedule: ScheduleView }) {
  const times = useQuery(upcomingQuery(schedule.id, schedule.revision));
  return (
    <Loaded query={times} what="The next times could not be loaded" rows={3} isBare>
      {(found) => <Times schedule={schedule} times={found} />}
    </Loaded>
  );
}

function Times({ schedule, times }: { schedule: ScheduleView; times: readonly string[] }) {
  if (times.length === 0) return <p>It is disabled, so there is no next time.</p>;
  return (
    <div>
      <TimeList times={times} />
      <p className="dim">If its last job has not ended: {schedule.overlap}</p>
      {schedule.drain_on_blame != null && (
        <p className="dim">Drains a node that its diagnosis blames, while at most {threeDigits(100 * schedule.drain_on_blame)} % of all nodes are drained</p>
      )}
    </div>
  );
}

function Actions({ schedule }: { schedule: ScheduleView }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<"edit" | "remove" | null>(null);
  const path = { schedule_id: schedule.id };
  const close = (): void => setAsked(null);
  const again = (): Promise<void> => client.invalidateQueries({ queryKey: schedulesQuery.queryKey });
  const run = useMutation({
    mutationFn: async () => unwrap(await api.POST("/api/v1/schedules/{schedule_id}/run", { params: { path } })),
    onSuccess: (job) => navigate({ to: "/jobs/$jobId", params: { jobId: job.id } }),
  });
  const toggle = useMutation({
    mutationFn: async () => {
      const params = { path, header: { "if-match": `"${schedule.revision}"` } };
      return unwrap(await api.PUT("/api/v1/schedules/{schedule_id}", { params, body: toggled(schedule) }));
    },
    onSuccess: again,
  });
  const remove = async (): Promise<void> => {
    unwrap(await api.DELETE("/api/v1/schedules/{schedule_id}", { params: { path } }));
    await navigate({ to: "/settings/schedules" });
    await again();
  };
  const failed = run.error ?? toggle.error;
  const called = `${asksForModel(specOf(schedule)) ? "SIMULATED " : ""}${schedule.name}`;
  return (
    <div className={`spread ${classes.actions}`}>
      {failed && <span role="alert">{failed.message}</span>}
      <Button onClick={() => run.mutate()} aria-busy={run.isPending}>Run now</Button>
      <Button onClick={() => toggle.mutate()} aria-busy={toggle.isPending}>{schedule.is_enabled ? "Disable" : "Enable"}</Button>
      <Button onClick={() => setAsked("edit")}>Edit …</Button>
      <Button onClick={() => setAsked("remove")}>Remove …</Button>
      <Dialog title={`Edit schedule ${called}`} isOpen={asked === "edit"} onClose={close} isWide>
        <ScheduleForm
          schedule={schedule}
          onCancel={close}
          onDone={() => {
            close();
            void again();
          }}
        />
      </Dialog>
      <ConfirmDialog title={`Remove schedule ${called}?`} verb="Remove it" isOpen={asked === "remove"} onClose={close} onConfirm={remove}>
        It submits no more jobs. Its existing and running jobs stay.
      </ConfirmDialog>
    </div>
  );
}

/** Enables or disables it. */
function toggled({ name, cron, timezone, overlap, drain_on_blame: share, spec, is_enabled: isEnabled }: ScheduleView): ScheduleBody {
  return { name, cron, timezone, overlap, drain_on_blame: share ?? null, spec: spec as ScheduleBody["spec"], is_enabled: !isEnabled };
}
