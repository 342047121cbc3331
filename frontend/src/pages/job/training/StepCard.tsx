import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Segments } from "../../../components/controls/Segments";
import { Caption } from "../../../components/marks/Caption";
import type { JobSearch } from "../../../lib/search/search";
import results from "../results/Results.module.css";

const route = getRouteApi("/jobs/$jobId");

interface Props {
  id: string;
  title: string;
  /** The name of the choice between the two views, for screen readers. */
  label: string;
  timeline: ReactNode;
  table: ReactNode;
  /** What the picture shows, in at most 30 words. */
  caption: string;
  /** Definitions and limits, which open on request. */
  more: string;
}

/** A card with a picture of what goes on within a step, or the table of the same numbers. */
export function StepCard({ id, title, label, timeline, table, caption, more }: Props) {
  const { inside = "timeline" } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (next: "timeline" | "table") =>
    void navigate({
      search: (old) => ({ ...old, inside: next === "table" ? next : undefined }) as JobSearch,
      replace: true,
      resetScroll: false,
    });
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        <div className={results.controls}>
          <Segments label={label} value={inside} options={[["timeline", "timeline"], ["table", "table"]]} onChange={choose} />
        </div>
      </div>
      <figure className="card-body">
        {inside === "table" ? table : timeline}
        <Caption more={more}>{caption}</Caption>
      </figure>
    </section>
  );
}
