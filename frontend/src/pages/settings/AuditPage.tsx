/** The audit log: every event with its user, action and target. */
import { Button, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useCallback, useRef } from "react";
import { auditQuery } from "../../data/settings";
import type { EventView } from "../../api/types";
import { useShortcut } from "../../components/hooks/shortcuts";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { EmptyState } from "../../components/states/EmptyState";
import { Loaded } from "../../components/states/Loaded";
import { ScrollX } from "../../components/controls/ScrollX";
import { useRole } from "../../components/hooks/useRole";
import { type AuditSearch, auditCommand, auditParams, auditSearch, exportPath } from "../../lib/audit";
import { formatDateTime } from "../../lib/format";
import classes from "./Settings.module.css";
import { SettingsFrame } from "./SettingsFrame";
import { textsOf } from "./useSettingsForm";

const route = getRouteApi("/settings/audit");

export function AuditPage() {
  const search = route.useSearch();
  const { isAdmin } = useRole();
  const events = useInfiniteQuery(auditQuery(auditParams(search)));
  const items = events.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <SettingsFrame title="Audit" about="All events, newest first, with their users.">
      <div className={classes.filters}>
        <Filters key={JSON.stringify(search)} search={search} />
        {isAdmin && (
          <div className={classes.downloads}>
            <a href={exportPath(search, "csv")} download>
              CSV of all that match
            </a>
            <a href={exportPath(search, "ndjson")} download>
              NDJSON
            </a>
          </div>
        )}
      </div>
      <Loaded query={events} what="The events could not be loaded" rows={12}>
        {() => <div className="card">{items.length > 0 ? <EventsTable events={items} /> : <None />}</div>}
      </Loaded>
      {events.hasNextPage && (
        <Button className={classes.more ?? ""} onClick={() => void events.fetchNextPage()}>
          {events.isFetchingNextPage ? "Loading …" : "Load more"}
        </Button>
      )}
      {!events.isPending && <ServerCommand text={auditCommand(search)} />}
    </SettingsFrame>
  );
}

function None() {
  return (
    <EmptyState title="No event matches">
      <p>
        <Link to="/settings/audit">Show all events</Link>, or in a terminal:
      </p>
      <ServerCommand text={auditCommand({})} />
    </EmptyState>
  );
}

function Filters({ search }: { search: AuditSearch }) {
  const navigate = route.useNavigate();
  const first = useRef<HTMLInputElement>(null);
  useShortcut("filter", useCallback(() => first.current?.focus(), []));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void navigate({ search: auditSearch(textsOf(event.currentTarget)) });
  };
  return (
    <form role="search" className={classes.filters} onSubmit={submit}>
      <TextInput ref={first} name="actor" label="User" placeholder="ada" defaultValue={search.actor} />
      <TextInput name="action" label="Action" placeholder="job.* or node.drained" defaultValue={search.action} />
      <TextInput name="target" label="Target" placeholder="job:12 or node:n1" defaultValue={search.target} />
      <TextInput name="since" label="Since" type="date" defaultValue={search.since} />
      <TextInput name="until" label="Before" type="date" defaultValue={search.until} />
      <Button type="submit" size="sm">
        Filter
      </Button>
      {Object.keys(search).length > 0 && <Link to="/settings/audit">Show all</Link>}
    </form>
  );
}

function EventsTable({ events }: { events: readonly EventView[] }) {
  return (
    <ScrollX label="Events, newest first">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">User</th>
            <th scope="col">Action</th>
            <th scope="col">Target</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <td className={classes.nowrap}>
                <time dateTime={event.time}>{formatDateTime(event.time)}</time>
              </td>
              <td>{event.actor}</td>
              <th scope="row">{event.action}</th>
              <td className={classes.nowrap}>
                <Target event={event} />
              </td>
              <td>{event.before}</td>
              <td>{event.after}</td>
              <td className={classes.wide}>{event.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

/** A link if the target has a page. */
function Target({ event }: { event: EventView }): ReactNode {
  const text = `${event.target_type} ${event.target_id}`;
  if (event.target_type === "job") return <Link to="/jobs/$jobId" params={{ jobId: Number(event.target_id) }}>{text}</Link>;
  if (event.target_type === "node") return <Link to="/nodes/$name" params={{ name: event.target_id }}>{text}</Link>;
  return text;
}
