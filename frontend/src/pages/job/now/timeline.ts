/** A job's events as its states, and those still to come. */
import type { EventView, JobState } from "../../../api/types";
import { isActive, isTerminal, JOB_STATES } from "../../../lib/state";

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

/** The stages of each attempt: a job that had a gang and waits again begins another list. The last list is the current one. */
export function byAttempt(came: readonly Stage[]): Stage[][] {
  const found: Stage[][] = [[]];
  for (const [i, stage] of came.entries()) {
    const before = came[i - 1];
    if (before && isActive(before.state) && !isActive(stage.state) && !isTerminal(stage.state)) found.push([]);
    found.at(-1)?.push(stage);
  }
  return found;
}

/** The states that every job goes through before a final one. */
const PATH: readonly JobState[] = ["queued", "starting", "running", "stopping"];

export interface TimelineItem {
  /** null: the final state, which is not known yet. */
  state: JobState | null;
  /** null: it is still to come, or was skipped. */
  stage: Stage | null;
}

/** The stages, with those that were skipped or are still to come: the same number of items through the whole life. */
export function timelineItems(came: readonly Stage[]): TimelineItem[] {
  const found: TimelineItem[] = [];
  let at = -1;
  const leaveOut = (until: number): void => {
    if (at < until) found.push(...PATH.slice(at + 1, until).map((state) => ({ state, stage: null })));
  };
  for (const stage of came) {
    const next = isTerminal(stage.state) ? PATH.length : PATH.indexOf(stage.state);
    leaveOut(next);
    found.push({ state: stage.state, stage });
    at = next;
  }
  if (at < PATH.length) {
    leaveOut(PATH.length);
    found.push({ state: null, stage: null });
  }
  return found;
}
