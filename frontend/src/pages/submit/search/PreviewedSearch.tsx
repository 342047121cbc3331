/** Which candidates of the search in the form could run on the current nodes, and why others could not. */
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError } from "../../../api/client";
import type { JobSpec, SearchPreview } from "../../../api/types";
import { Properties } from "../../../components/Properties";
import { Loaded } from "../../../components/states/Loaded";
import { Skeleton } from "../../../components/states/Skeleton";
import { Warnings } from "../../../components/states/Warnings";
import { type JobCheck, searchPreviewQuery, TYPING_MS } from "../../../data/prediction";
import { plural } from "../../../lib/format";
import classes from "../SubmitPage.module.css";

interface Props {
  spec: JobSpec;
  /** Null: it is loading. */
  check: JobCheck | null;
}

/** The height of the content, in rows of a table. */
const ROWS = 8;

export function PreviewedSearch({ spec, check }: Props) {
  const [asked] = useDebouncedValue(JSON.stringify(spec), TYPING_MS);
  const settled = useMemo(() => JSON.parse(asked) as JobSpec, [asked]);
  const preview = useQuery({ ...searchPreviewQuery(settled), enabled: check !== null });
  // Problems of fields are shown beside them.
  if (preview.error instanceof ApiError && preview.error.status === 422) return <p className="dim">No forecast yet.</p>;
  if (!check) return <Skeleton rows={ROWS} isBare />;
  return (
    <Loaded query={preview} what="The candidates could not be checked" rows={ROWS} isBare>
      {(found) => <CandidatesHere found={found} isFetching={preview.isFetching} />}
    </Loaded>
  );
}

export function CandidatesHere({ found, isFetching = false }: { found: SearchPreview; isFetching?: boolean }) {
  const { candidates, left_out: leftOut, nodes, warnings } = found;
  const where = nodes.map(({ node, ranks }) => `${node} (${plural(ranks, "rank")})`).join(", ");
  return (
    <div className={classes.predicted} aria-busy={isFetching}>
      <Properties
        items={[
          ["Can run here", candidates.length === 0 ? "none" : plural(candidates.length, "candidate")],
          ...(where === "" ? [] : [["Nodes", where] as const]),
        ]}
      />
      <Warnings warnings={warnings} />
      {leftOut.length > 0 && (
        <section aria-label="Left out here">
          <h3>{plural(leftOut.length, "candidate")} left out here</h3>
          <ul className={classes.leftOut}>
            {leftOut.map(({ name, reason }) => (
              <li key={name}>
                <b>{name}</b>: {reason}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
