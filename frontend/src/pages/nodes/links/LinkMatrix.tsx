import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { jobQuery } from "../../../data/job";
import { activeJobsQuery } from "../../../data/jobs";
import { linksQuery, nodeLinksQuery } from "../../../data/nodes";
import type { JobView, LinkView, NodeView } from "../../../api/types";
import { AgentCommand } from "../../../components/controls/AgentCommand";
import { ServerCommand } from "../../../components/controls/ServerCommand";
import { CopyButton } from "../../../components/controls/CopyButton";
import { EmptyState } from "../../../components/states/EmptyState";
import { Loaded } from "../../../components/states/Loaded";
import { Caption } from "../../../components/marks/Caption";
import { useRole } from "../../../components/hooks/useRole";
import { LinkFigure } from "../../../components/links/LinkFigure";
import { rackLinksQuery } from "../../../components/links/manyLinksQuery";
import { isSlow, type Matrix, MOST_IN_MATRIX, rateOf } from "../../../components/links/matrix";
import { RackFigure } from "../../../components/links/RackFigure";
import { MEASURED, toCsv } from "../../../lib/csv";
import { eachOf, plural, threeDigits } from "../../../lib/format";
import pageCommands from "../../../lib/pageCommands.json";
import { isTerminal } from "../../../lib/state";
import classes from "../NodesPage.module.css";
import { MeasureLinks } from "./MeasureLinks";

/** How often a job that measures links is asked for, where the stream brings nothing. */
const MEASURING_MS = 5000;

/** The measured links between pairs of nodes, or how to measure them if there are none. With a name only that node's row. */
export function LinkMatrix({ nodes, only }: { nodes: readonly NodeView[]; only?: string }) {
  const [submitted, setSubmitted] = useState<number | null>(null);
  const links = only === undefined ? linksQuery : nodeLinksQuery(only);
  const isMany = only === undefined && nodes.length > MOST_IN_MATRIX;
  const job = useMeasuring(submitted, isMany ? null : links.queryKey);
  const rest = { nodes, job, onSubmitted: setSubmitted };
  return isMany ? <LinksOfMany {...rest} /> : <LinksOfSome {...rest} only={only} />;
}

/** The links of so many nodes that the page asks for them by racks. */
function LinksOfMany({ nodes, job, onSubmitted }: PartProps) {
  const isMeasuring = !!job && !isTerminal(job.state);
  const racks = useQuery(rackLinksQuery(null, isMeasuring));
  return (
    <Loaded query={racks} what="The links could not be loaded" rows={4}>
      {(found) => (
        <Links nodes={nodes} job={job} onSubmitted={onSubmitted} isMeasured={found.length > 0}>
          <RackFigure nodes={nodes} racks={found} job={null} isMeasuring={isMeasuring} about={(shown, links) => <About found={shown} links={links} />} />
        </Links>
      )}
    </Loaded>
  );
}

function LinksOfSome({ nodes, only, job, onSubmitted }: PartProps & { only: string | undefined }) {
  const links = useQuery(only === undefined ? linksQuery : nodeLinksQuery(only));
  return (
    <Loaded query={links} what="The links could not be loaded" rows={4}>
      {(found) => (
        <Links nodes={nodes} job={job} onSubmitted={onSubmitted} isMeasured={found.length > 0} csv={() => toCsv(found.map(asRow), COLUMNS, MEASURED)}>
          <LinkFigure nodes={nodes} links={found} only={only} about={(shown) => <About found={shown} links={found} only={only} />} />
        </Links>
      )}
    </Loaded>
  );
}

const COLUMNS = ["a", "b", "rail", "busbw_gb_per_s", "size_bytes", "iterations", "is_unstable", "disturbed_by", "job_id"] as const;

/** The job that measures links: the one submitted here, else one that runs. The links of this key are loaded again as it measures them. */
function useMeasuring(submitted: number | null, key: QueryKey | null): JobView | undefined {
  const client = useQueryClient();
  const active = useQuery(activeJobsQuery).data?.find(({ kind }) => kind === "diagnosis");
  const own = useQuery({
    ...jobQuery(submitted ?? 0),
    enabled: submitted !== null,
    refetchInterval: ({ state }) => (state.data && isTerminal(state.data.state) ? false : MEASURING_MS),
  }).data;
  const job = own ?? active;
  const asked = useRef(key);
  const measured = job && `${job.id} ${job.progress.done} ${isTerminal(job.state)}`;
  useEffect(() => {
    const names = asked.current;
    if (measured !== undefined && names) void client.invalidateQueries({ queryKey: names, exact: true });
  }, [client, measured]);
  return job;
}

interface PartProps {
  nodes: readonly NodeView[];
  /** The job that measures them. */
  job: JobView | undefined;
  onSubmitted: (job: number) => void;
}

interface LinksProps extends PartProps {
  isMeasured: boolean;
  /** The shown links as a file; none of very many. */
  csv?: () => string;
  children: ReactNode;
}

function Links({ nodes, job, onSubmitted, isMeasured, csv, children }: LinksProps) {
  const { mayChange } = useRole();
  const heading = useAddressed(ANCHOR);
  return (
    <section className="card" aria-labelledby={ANCHOR}>
      <div className="card-head">
        <h2 ref={heading} id={ANCHOR} tabIndex={-1}>
          Links
        </h2>
        {isMeasured && (
          <div className={`spread ${classes.actions}`}>
            {mayChange && <MeasureLinks nodes={nodes} onSubmitted={onSubmitted} />}
            {csv && <CopyButton text={csv} label="Copy CSV" />}
          </div>
        )}
      </div>
      {job && <Measuring job={job} />}
      {isMeasured ? children : (
        <NothingMeasured count={nodes.length} isMeasuring={!!job && !isTerminal(job.state)}>
          {!mayChange && <ServerCommand text={pageCommands.links} />}
          {mayChange && (!job || isTerminal(job.state)) && <MeasureLinks nodes={nodes} onSubmitted={onSubmitted} />}
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

function Measuring({ job }: { job: JobView }) {
  const name = (
    <Link to="/jobs/$jobId" params={{ jobId: job.id }}>
      job&nbsp;{job.id}
    </Link>
  );
  return (
    <p role="status" className={classes.submitted}>
      {!isTerminal(job.state) && <>The {name} measures links: {plural(job.progress.done, "measurement")} so far.</>}
      {job.state === "succeeded" && <>The {name} has measured the links.</>}
      {isTerminal(job.state) && job.state !== "succeeded" && <>The {name} did not measure all links. {job.message}</>}
    </p>
  );
}

function NothingMeasured({ count, isMeasuring, children }: { count: number; isMeasuring: boolean; children: ReactNode }) {
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
  if (isMeasuring) {
    return (
      <EmptyState title="The links are being measured">
        <p>Each appears here once it has been measured.</p>
        {children}
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No link has been measured alone">
      <p>
        The messages of other jobs do not count, because several share a link; a job&rsquo;s own page names its slow hops. One job
        with one rank on each node measures each link while nothing else uses it.
      </p>
      {children}
    </EmptyState>
  );
}

function About({ found, links, only }: { found: Matrix; links: readonly LinkView[]; only?: string | undefined }) {
  const { names, total, least, most, median, measured } = found;
  const isSome = (is: (link: LinkView) => boolean): boolean => links.some(is);
  const count = eachOf(links.map(({ iterations }) => iterations));
  const slow = links.flatMap((link) => link.nodes.map((source) => rateOf(link, source))).filter((rate) => isSlow(rate, found)).length;
  return (
    <Caption
      more={
        <>
          {names.length < total && `Of ${total} nodes the ${names.length} with the slowest measured links, the slowest first. `}A stronger colour is a faster link; – means not measured.
          {median !== null && ` ▾ marks a direction whose whole interval is below 90 % of the median of all, ${threeDigits(median)} GB/s.`} A cell opens the
          measurements of its link.
          {isSome(({ rail }) => rail != null) && " A pair whose rails were measured has the rates of its slowest rail, whose number r0, r1, … is beside them; a cell lists all rails."}
          {isSome((link) => !!link.disturbed_by) && " ! also marks a pair that was measured only under a disturbance."}
          {isSome((link) => link.is_unstable) && " ! marks an unstable mean: the iterations differ too much."}
        </>
      }
    >
      Bandwidth from each row to each column by the newest measurement, {threeDigits(least)} to {threeDigits(most)} GB/s
      {slow > 0 && `, ${plural(slow, "direction")} slow`}; {measured} of {only ? total - 1 : found.pairs} pairs measured{count && `, ${count}`}.{" "}
    </Caption>
  );
}

function asRow({ nodes, ...rest }: LinkView) {
  return { a: nodes[0], b: nodes[1], ...rest };
}
