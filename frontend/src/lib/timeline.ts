/** A job's events as the states it went through. */
import type { EventView, JobState } from "../api/types";
import { JOB_STATES } from "./state";

export interface Stage {
  id: number;
  state: JobState;
  time: string;
  actor: string;
  message: string;
  /** Until the next stage; null for the last one. */
  seconds: number | null;
}

/** One stage per change of state, oldest first. */
export function stages(events: readonly EventView[]): Stage[] {
  const changes = events.filter((event) => event.after !== null && Object.hasOwn(JOB_STATES, event.after));
  return changes.map((event, index) => {
    const next = changes[index + 1];
    return {
      id: event.id,
      state: event.after as JobState,
      time: event.time,
      actor: event.actor,
      message: event.message,
      seconds: next ? (Date.parse(next.time) - Date.parse(event.time)) / 1000 : null,
    };
  });
}
