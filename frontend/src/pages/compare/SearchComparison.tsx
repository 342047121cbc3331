/** A comparison of strategy searches: the answer, their candidates side by side, and what differs. */
import { useQueries } from "@tanstack/react-query";
import type { JobView } from "../../api/types";
import { LineSwatch } from "../../components/marks/LineSwatch";
import { ScrollX } from "../../components/controls/ScrollX";
import { QueryError } from "../../components/states/QueryError";
import { Skeleton } from "../../components/states/Skeleton";
import { strategySearchQuery } from "../../data/strategySearch";
import { baseOf, lineOf } from "../../lib/sweep/compare";
import { isTerminal, jobName, jobWord } from "../../lib/state";
import classes from "./ComparePage.module.css";
import { CompareControls, useCompareSearch } from "./CompareControls";
import { candidateNames, comparedCsv, comparedMarkdown, type ComparedSearch, deltaText, lineOfCandidate, markWords, rateText, searchAnswer, searchDelta } from "./compareSearches";
import { Differences } from "./Differences";
import { Warnings } from "./Warnings";

export function SearchComparison({ jobs }: { jobs: readonly JobView[] }) {
  const [search] = useCompareSearch();
  const searches = useQueries({ queries: jobs.map((job) => strategySearchQuery(job.id, job.progress.done, isTerminal(job.state))) });
  const items = jobs.flatMap((job, i): ComparedSearch[] => {
    const found = searches[i]?.data;
    return found ? [{ job, found }] : [];
  });
  const failed = searches.find((query) => query.error && !query.data);
  const baseId = baseOf(jobs.map(({ id }) => id), search.base);
  const base = items.find(({ job }) => job.id === baseId);
  const copies = base
    ? ([
        ["Markdown", () => comparedMarkdown(items, base, window.location.href)],
        ["CSV", () => comparedCsv(items, base)],
      ] as const)
    : [];
  return (
    <>
      <CompareControls jobs={jobs} base={baseId} part="search" copies={copies} answer={<Answer items={items} base={base} />} />
      {failed && <QueryError what="A search could not be loaded" query={failed} />}
      {searches.some((query) => query.isPending) && <Skeleton rows={10} />}
      {base && <Candidates items={items} base={base} />}
      <Differences jobs={jobs} />
    </>
  );
}

function Answer({ items, base }: { items: readonly ComparedSearch[]; base: ComparedSearch | undefined }) {
  return (
    <div className={classes.answer} role="status">
      {base &&
        items.map((item) =>
          item === base ? null : (
            <div key={item.job.id}>
              <p>{searchAnswer(item, base)}</p>
              <Warnings job={item.job} base={base.job} />
            </div>
          ),
        )}
    </div>
  );
}

function Candidates({ items, base }: { items: readonly ComparedSearch[]; base: ComparedSearch }) {
  const ids = items.map(({ job }) => job.id);
  const others = items.filter((item) => item !== base);
  return (
    <section className="card" aria-labelledby="candidates">
      <div className="card-head">
        <h2 id="candidates">Candidates</h2>
        <p className="dim">Samples per second with their 95 % intervals; the difference is that of the time of a sample from job {base.job.id}, the base job</p>
      </div>
      <ScrollX label="Candidates, columns for each job">
        <table>
          <thead>
            <tr>
              <th scope="col">Candidate</th>
              {items.map(({ job }) => (
                <th key={job.id} scope="col" className="number" title={jobName(job)}>
                  <LineSwatch line={lineOf(job.id, ids)} /> {jobWord(job)}
                </th>
              ))}
              {others.map(({ job }) => (
                <th key={job.id} scope="col" className="number">
                  {jobWord(job)} difference
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {candidateNames(items, base).map((name) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {items.map((item) => (
                  <RateCell key={item.job.id} item={item} name={name} />
                ))}
                {others.map((item) => (
                  <DeltaCell key={item.job.id} item={item} base={base} name={name} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
    </section>
  );
}

function RateCell({ item, name }: { item: ComparedSearch; name: string }) {
  const line = lineOfCandidate(item, name);
  return (
    <td className="number">
      {rateText(line)}
      {item.found.winner === name && <span className="dim"> winner</span>}
    </td>
  );
}

function DeltaCell({ item, base, name }: { item: ComparedSearch; base: ComparedSearch; name: string }) {
  const delta = searchDelta(lineOfCandidate(item, name), lineOfCandidate(base, name));
  if (!delta) return <td className="number">–</td>;
  const { glyph, text } = markWords(delta);
  return (
    <td className="number">
      <span title={text}>
        <span aria-hidden="true">{glyph}</span>
        <span className="hidden-visually">{text}:</span> {deltaText(delta)}
      </span>
    </td>
  );
}
