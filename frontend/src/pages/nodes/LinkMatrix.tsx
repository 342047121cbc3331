import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { linksQuery } from "../../data/nodes";
import type { LinkView, NodeView } from "../../api/types";
import { AgentCommand } from "../../components/controls/AgentCommand";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { CopyButton } from "../../components/controls/CopyButton";
import { EmptyState } from "../../components/states/EmptyState";
import { Loaded } from "../../components/states/Loaded";
import { MeasuredLink } from "../../components/controls/MeasuredLink";
import { Caption } from "../../components/marks/Caption";
import { useRole } from "../../components/hooks/useRole";
import { ScrollX } from "../../components/controls/ScrollX";
import { MEASURED, toCsv } from "../../lib/csv";
import { eachOf, plural, threeDigits } from "../../lib/format";
import { type Matrix, matrix } from "../../lib/nodes";
import pageCommands from "../../lib/pageCommands.json";
import { MeasureLinks } from "./MeasureLinks";
import classes from "./NodesPage.module.css";

/** How often links are asked for while jobs of this page measure them. */
const MEASURING_MS = 5000;

/** The measured links between pairs of nodes, or how to measure them if there are none. With a name only that node's row. */
export function LinkMatrix({ nodes, only }: { nodes: readonly NodeView[]; only?: string }) {
  const [jobs, setJobs] = useState<readonly number[]>([]);
  const links = useQuery({ ...linksQuery, refetchInterval: jobs.length > 0 ? MEASURING_MS : false });
  return (
    <Loaded query={links} what="The links could not be loaded" rows={4}>
      {(all) => <Links links={all} nodes={nodes} only={only} jobs={jobs} onSubmitted={setJobs} />}
    </Loaded>
  );
}

interface LinksProps {
  links: readonly LinkView[];
  nodes: readonly NodeView[];
  only: string | undefined;
  /** Those that were submitted here. */
  jobs: readonly number[];
  onSubmitted: (jobs: readonly number[]) => void;
}

function Links({ links, nodes, only, jobs, onSubmitted }: LinksProps) {
  const { mayChange } = useRole();
  const shown = only ? links.filter((link) => link.nodes.includes(only)) : links;
  const found = matrix(nodes, shown);
  const heading = useAddressed(ANCHOR);
  return (
    <section className="card" aria-labelledby={ANCHOR}>
      <div className="card-head">
        <h2 ref={heading} id={ANCHOR} tabIndex={-1}>
          Links
        </h2>
        {found.measured > 0 && (
          <div className={`spread ${classes.actions}`}>
            {mayChange && <MeasureLinks nodes={nodes} links={links} only={only} onSubmitted={onSubmitted} />}
            <CopyButton text={() => toCsv(shown.map(asRow), ["a", "b", "busbw_gb_per_s", "size_bytes", "iterations", "is_unstable", "disturbed_by", "job_id"], MEASURED)} label="Copy CSV" />
          </div>
        )}
      </div>
      {jobs.length > 0 && <Submitted jobs={jobs} />}
      {found.measured > 0 ? (
        <Measured matrix={found} links={shown} only={only} />
      ) : (
        <NothingMeasured count={nodes.length}>
          {!mayChange && <ServerCommand text={pageCommands.link} />}
          {mayChange && jobs.length === 0 && <MeasureLinks nodes={nodes} links={links} only={only} onSubmitted={onSubmitted} />}
        </NothingMeasured>
      )}
    </section>
  );
}

/** The address's fragment that leads here. */
const ANCHOR = "links";

/** The ref of an element that gets the focus and comes into view when the address names it, also if it is drawn later. */
function useAddressed(fragment: string) {
  const element = useRef<HTMLHeadingElement>(null);
  const isNamed = useLocation({ select: ({ hash }) => hash === fragment });
  useEffect(() => {
    if (!isNamed) return;
    element.current?.scrollIntoView();
    element.current?.focus({ preventScroll: true });
  }, [isNamed]);
  return element;
}

/** The most jobs that are linked one by one. */
const MOST_NAMED = 6;

function Submitted({ jobs }: { jobs: readonly number[] }) {
  return (
    <p role="status" className={classes.submitted}>
      {plural(jobs.length, "job")} submitted:{" "}
      {jobs.slice(0, MOST_NAMED).map((id, i) => (
        <Fragment key={id}>
          {i > 0 && ", "}
          <Link to="/jobs/$jobId" params={{ jobId: id }}>
            job&nbsp;{id}
          </Link>
        </Fragment>
      ))}
      {jobs.length > MOST_NAMED && (
        <>
          {" "}
          and{" "}
          <Link to="/jobs" search={{ q: "link ", collective: "sendrecv" }}>
            {jobs.length - MOST_NAMED} more
          </Link>
        </>
      )}
      . Each link appears here when its job has succeeded.
    </p>
  );
}

function NothingMeasured({ count, children }: { count: number; children: ReactNode }) {
  if (count < 2) {
    return (
      <EmptyState title="There is no link yet">
        <p>
          Measuring a link takes two nodes. Create a join token on the server&rsquo;s machine and start an agent with it on
          another machine:
        </p>
        <AgentCommand />
        <p>Once the second node has joined, a button here measures all links between the nodes.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No link has been measured">
      <p>A sendrecv between one rank on each of two nodes measures the link between them.</p>
      {children}
    </EmptyState>
  );
}

function Measured({ matrix: found, links, only }: { matrix: Matrix; links: readonly LinkView[]; only: string | undefined }) {
  const { names, total, at, least, most, measured } = found;
  const isUnsure = names.some((a) => names.some((b) => at(a, b)?.is_unstable));
  const isDisturbed = names.some((a) => names.some((b) => at(a, b)?.disturbed_by));
  const count = eachOf(links.map(({ iterations }) => iterations));
  const [rows, pairs] = only ? [[only], total - 1] : [names, found.pairs];
  return (
    <figure className={classes.links}>
      <ScrollX label="Bus bandwidth between nodes in GB/s">
        <table className={classes.matrix}>
          <thead>
            <tr>
              <th scope="col">GB/s</th>
              {names.map((name) => (
                <th key={name} scope="col" className="number">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">{row}</th>
                {names.map((column) => (
                  <Cell key={column} link={row === column ? null : at(row, column)} isSelf={row === column} most={most} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      <Caption
        more={
          <>
            {names.length < total && `Of ${total} nodes the ${names.length} with the slowest measured links, the slowest first. `}A stronger colour is a faster link; – means not measured.
            {isDisturbed && " ! also marks a pair that was measured only under a disturbance."}
            {isUnsure && " ! marks an unstable mean: the iterations differ too much."}
          </>
        }
      >
        Bandwidth by the newest sendrecv or diagnosis of one rank on each node, {threeDigits(least)} to{" "}
        {threeDigits(most)} GB/s; {measured} of {pairs} pairs measured{count && `, ${count}`}.{" "}
      </Caption>
    </figure>
  );
}

function Cell({ link, isSelf, most }: { link: LinkView | null; isSelf: boolean; most: number }) {
  if (!link) return <td className="number dim">{isSelf ? "" : "–"}</td>;
  const share = Math.round((60 * link.busbw_gb_per_s) / most);
  return (
    <td className="number" style={{ background: `color-mix(in srgb, var(--accent-soft) ${share + 20}%, var(--surface))` }}>
      <MeasuredLink link={link} />
    </td>
  );
}

function asRow({ nodes, ...rest }: LinkView) {
  return { a: nodes[0], b: nodes[1], ...rest };
}
