/** The output of the ranks, their launcher and the agents. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../../api/client";
import { logOutlineQuery } from "../../../data/log";
import type { JobView } from "../../../api/types";
import { QueryError } from "../../../components/states/QueryError";
import { formatClock, plural } from "../../../lib/format";
import { exportUrl, lineOf, logFilterOf } from "../../../lib/search/logFilter";
import { isTerminal } from "../../../lib/state";
import classes from "./Log.module.css";
import { LogLines } from "./LogLines";
import { LogTools } from "./LogTools";
import { useView } from "../useView";

export function Log({ job }: { job: JobView }) {
  const [search] = useView();
  const hash = useLocation({ select: (location) => location.hash });
  const isOver = isTerminal(job.state);
  const filter = logFilterOf(search);
  const isFiltered = Object.keys(filter).length > 0;
  const outline = useQuery(logOutlineQuery(job.id, filter, search.at));
  const { data } = outline;
  const named = isFiltered ? null : lineOf(hash);
  const target = named ?? data?.line_at ?? null;
  const [follows, setFollows] = useState(!isOver && named === null && search.at === undefined);
  const problem = patternProblem(outline.error);
  return (
    <section className="card" aria-labelledby="log">
      <div className="card-head">
        <h2 id="log">Log</h2>
        <span className="dim">
          {data && `${plural(data.lines, "line")}${isFiltered ? " that match" : ""}`}
          {data && named === null && search.at !== undefined && atWords(search.at, data.line_at)}
        </span>
        <LogTools job={job} problem={problem}>
          {!isOver && (
            <Button onClick={() => setFollows(true)} aria-pressed={follows}>
              {follows ? "● live" : "Jump to live"}
            </Button>
          )}
          <Button component="a" href={exportUrl(job.id, filter)} download>
            Download
          </Button>
        </LogTools>
      </div>
      {!problem && <QueryError what="The log could not be loaded" query={outline} />}
      {problem && <p className={`dim ${classes.empty}`}>Correct the regular expression to see lines.</p>}
      {data && data.lines === 0 && <p className={`dim ${classes.empty}`}>{emptyText(isOver, isFiltered)}</p>}
      {data && data.lines > 0 && (
        <LogLines
          key={JSON.stringify(filter)}
          jobId={job.id}
          outline={data}
          filter={filter}
          target={target}
          isWrapped={search.wrap !== "off"}
          follows={follows}
          onFollow={(next) => setFollows(next && !isOver)}
        />
      )}
    </section>
  );
}

/** The server's sentence about an invalid regular expression; null for any other error. */
function patternProblem(error: Error | null): string | null {
  if (!(error instanceof ApiError)) return null;
  const found = error.fields.find((field) => field.pointer === "/pattern");
  return found ? found.detail.replace("pattern: ", "") : null;
}

/** Which line is marked, and why. */
function atWords(at: string, line: number | null): string {
  const time = formatClock(Date.parse(at));
  return line === null ? `; none was printed by ${time}` : `; marked is the last one printed by ${time}`;
}

function emptyText(isOver: boolean, isFiltered: boolean): string {
  if (isFiltered) return "No line matches.";
  return isOver ? "The job printed nothing." : "Nothing printed yet.";
}
