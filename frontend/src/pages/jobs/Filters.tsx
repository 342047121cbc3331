import { Button } from "@mantine/core";
import { getRouteApi, Link, type RouterHistory, useRouter } from "@tanstack/react-router";
import { memo, useCallback, useEffect, useRef, useState } from "react";
import type { JobFacets } from "../../api/types";
import { passesFocus } from "../../components/hooks/keepFocus";
import { useShortcut } from "../../components/hooks/shortcuts";
import { COLLECTIVES } from "../../lib/collectives";
import { formatCount } from "../../lib/format";
import type { JobFilter } from "../../lib/search/jobFilter";
import { type JobsSearch, parseSearch } from "../../lib/search/search";
import { JUDGEMENTS } from "../../lib/judgement";
import { JOB_STATES } from "../../lib/state";
import classes from "./JobsPage.module.css";

const route = getRouteApi("/jobs");

type Facet = "state" | "kind" | "collective" | "algorithm" | "user" | "judgement";
const LABELS: Record<Facet, string> = {
  state: "State",
  kind: "Kind",
  collective: "Collective",
  algorithm: "Algorithm",
  user: "User",
  judgement: "Judgement",
};

interface Props {
  /** The same object while its content is the same, as this is redrawn only when it changes. */
  filter: JobFilter;
  facets: JobFacets | undefined;
}

/**
 * The filter: a search box, and one choice for each facet with the number of jobs that it would give. The controls are
 * the browser's own: the list opens only when seven of them are drawn, and they cost less than the library's.
 */
export const Filters = memo(function Filters({ filter, facets }: Props) {
  const navigate = route.useNavigate();
  const set = (facet: Facet | "node", value: string): void =>
    void navigate({ search: (old) => ({ ...old, [facet]: value || undefined }) as JobsSearch });
  return (
    <form role="search" className={classes.filters} onSubmit={(event) => event.preventDefault()}>
      <SearchBox text={filter.q} />
      {(Object.keys(LABELS) as Facet[]).map((facet) => (
        <select
          key={facet}
          className={classes.field}
          aria-label={LABELS[facet]}
          value={filter[facet] ?? ""}
          onChange={(event) => set(facet, event.currentTarget.value)}
        >
          {options(facet, filter[facet], facets).map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ))}
      {filter.node && (
        <Button ref={passesFocus} onClick={() => set("node", "")}>
          on {filter.node} ✕<span className="hidden-visually"> show those of every node</span>
        </Button>
      )}
      {Object.keys(filter).length > 0 && (
        <Link ref={passesFocus} to="/jobs" search={({ sort }) => (sort ? { sort } : {}) as JobsSearch}>
          Show all
        </Link>
      )}
    </form>
  );
});

/** All states, kinds and judgements are offered, even without such a job; the other facets as they were found. */
const ALWAYS: Partial<Record<Facet, readonly string[]>> = {
  state: Object.keys(JOB_STATES),
  kind: ["benchmark", "training", "script", "strategy_search", "diagnosis", "imported"],
  judgement: Object.keys(JUDGEMENTS),
};

/** "failed · 12"; a chosen value is listed even if no job has it. */
function options(facet: Facet, chosen: string | undefined, facets: JobFacets | undefined) {
  const counts = new Map(facets?.[facet].map(({ value, count }) => [value, count]));
  const values = new Set([...(ALWAYS[facet] ?? []), ...(chosen ? [chosen] : []), ...counts.keys()]);
  return [
    { value: "", label: `Every ${LABELS[facet].toLowerCase()}` },
    ...[...values].map((value) => ({ value, label: `${named(facet, value)} · ${formatCount(counts.get(value) ?? 0)}` })),
  ];
}

function named(facet: Facet, value: string): string {
  if (facet === "state") return JOB_STATES[value as keyof typeof JOB_STATES]?.text ?? value;
  if (facet === "judgement") return JUDGEMENTS[value as keyof typeof JUDGEMENTS]?.text ?? value;
  return facet === "collective" ? (COLLECTIVES[value as keyof typeof COLLECTIVES]?.name ?? value) : value;
}

const SETTLED_MS = 250;

/** The browser's current history entry. */
function keyOf(history: RouterHistory): string | undefined {
  return history.location.state.__TSR_key;
}

function SearchBox({ text: current = "" }: { text: string | undefined }) {
  const navigate = route.useNavigate();
  const [text, setText] = useState(current);
  const [seen, setSeen] = useState(current);
  // The URL was changed elsewhere: by a view, a link, or Back.
  if (current !== seen) {
    setSeen(current);
    setText(current);
  }
  const input = useRef<HTMLInputElement>(null);
  useShortcut("filter", useCallback(() => input.current?.focus(), []));
  const { history } = useRouter();
  // The history entry that this box made, which further typing replaces. At any other entry the user has gone back.
  const own = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (text === current) return;
    const put = async (): Promise<void> => {
      const replace = own.current !== undefined && own.current === keyOf(history);
      await navigate({ search: (old) => ({ ...old, q: text || undefined }) as JobsSearch, replace });
      own.current = keyOf(history);
    };
    const timer = window.setTimeout(() => void put(), SETTLED_MS);
    return () => window.clearTimeout(timer);
  }, [text, current, navigate, history]);
  // Going back before the typed text has settled leads to the earlier filter, and not to the typed one.
  useEffect(
    () => history.subscribe(({ action }) => {
      if (action.type !== "PUSH" && action.type !== "REPLACE") setText(parseSearch(history.location.search).q ?? "");
    }),
    [history],
  );
  return (
    <input
      ref={input}
      type="search"
      className={classes.field}
      aria-label="Name or note contains"
      aria-keyshortcuts="/"
      placeholder="Name or note …"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
