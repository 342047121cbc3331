/** Jobs that are submitted repeatedly. */
import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { schedulesQuery } from "../../../data/settings";
import type { ScheduleView } from "../../../api/types";
import { Age } from "../../../components/Age";
import { ServerCommand } from "../../../components/controls/ServerCommand";
import { Dialog } from "../../../components/controls/Dialog";
import { EmptyState } from "../../../components/states/EmptyState";
import { Loaded } from "../../../components/states/Loaded";
import { ScrollX } from "../../../components/controls/ScrollX";
import { useRole } from "../../../components/hooks/useRole";
import { formatDateTime } from "../../../lib/format";
import { workWords } from "../../../lib/form/work";
import pageCommands from "../../../lib/pageCommands.json";
import { NotChosen } from "../NotChosen";
import { Schedule, Simulated, specOf } from "./Schedule";
import { ScheduleForm } from "./ScheduleForm";
import classes from "../Settings.module.css";
import { SettingsFrame } from "../SettingsFrame";

const route = getRouteApi("/settings/schedules");

export function SchedulesPage() {
  const client = useQueryClient();
  const { mayChange } = useRole();
  const { id, job } = route.useSearch();
  const navigate = useNavigate();
  const schedules = useQuery(schedulesQuery);
  const [isMaking, setMaking] = useState(false);
  const chosen = schedules.data?.find((schedule) => String(schedule.id) === id);
  const isOpen = isMaking || (job !== undefined && mayChange);
  const close = (): void => {
    setMaking(false);
    if (job !== undefined) void navigate({ to: "/settings/schedules", search: { ...(id && { id }) }, replace: true });
  };
  const done = (): void => {
    close();
    void client.invalidateQueries({ queryKey: schedulesQuery.queryKey });
  };
  return (
    <SettingsFrame
      title="Schedules"
      about="Jobs that are submitted at set times."
      action={mayChange && <Button variant="filled" onClick={() => setMaking(true)}>New schedule …</Button>}
    >
      <Loaded query={schedules} what="The schedules could not be loaded" rows={5}>
        {(found) => <div className="card">{found.length > 0 ? <SchedulesTable schedules={found} chosen={chosen} /> : <None />}</div>}
      </Loaded>
      <NotChosen noun="schedule" id={id} items={schedules.data} command={pageCommands.schedules} />
      {chosen && <Schedule key={chosen.id} schedule={chosen} mayChange={mayChange} />}
      <Dialog title="New schedule" isOpen={isOpen} onClose={close} isWide>
        <ScheduleForm from={job === undefined ? undefined : Number(job)} onDone={done} onCancel={close} />
      </Dialog>
    </SettingsFrame>
  );
}

function None() {
  return (
    <EmptyState title="No schedules yet">
      <p>A schedule repeats a job at set times. Press New schedule, or run:</p>
      <ServerCommand text={pageCommands.schedule} />
    </EmptyState>
  );
}

function SchedulesTable({ schedules, chosen }: { schedules: readonly ScheduleView[]; chosen: ScheduleView | undefined }) {
  return (
    <ScrollX label="Schedules, one row each">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">Times</th>
            <th scope="col">Next</th>
            <th scope="col" className="number">Last</th>
            <th scope="col">Last job</th>
            <th scope="col">Result</th>
            <th scope="col">User</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map((schedule) => (
            <tr key={schedule.id} className={schedule === chosen ? classes.chosen : undefined}>
              <th scope="row">
                <Simulated schedule={schedule} />
                <Link to="/settings/schedules" search={{ id: String(schedule.id) }}>
                  {schedule.name}
                </Link>
              </th>
              <td className={classes.wide}>{workWords(specOf(schedule))}</td>
              <td className={`${classes.nowrap} ${schedule.is_enabled ? "" : classes.off}`}>{schedule.is_enabled ? "✓ fires" : "‖ disabled"}</td>
              <td className={classes.nowrap}>
                <code>{schedule.cron}</code> {schedule.timezone}
              </td>
              <td className={classes.nowrap}>{schedule.next_fire_at ? formatDateTime(schedule.next_fire_at) : "–"}</td>
              <td className="number">{schedule.last_fire_at ? <Age iso={schedule.last_fire_at} /> : "never"}</td>
              <td>
                {schedule.last_job_id !== null && (
                  <Link to="/jobs/$jobId" params={{ jobId: schedule.last_job_id }}>
                    job {schedule.last_job_id}
                  </Link>
                )}
              </td>
              <td className={classes.wide}>{schedule.last_outcome}</td>
              <td>{schedule.user}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
