import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { LinkView, RackLinkView } from "../../api/types";
import { Caption } from "../marks/Caption";
import { Loaded } from "../states/Loaded";
import { formatAgo, secondsBetween, threeDigits } from "../../lib/format";
import classes from "./LinkFigure.module.css";
import { LinkFigure, type Two } from "./LinkFigure";
import { RackTable } from "./RackTable";
import { type Matrix, type Racked } from "./matrix";
import { slowestLinksQuery } from "./manyLinksQuery";
import { isOf, type Racks, racksOf, rackWord, wholeOf } from "./racks";

interface Props {
  nodes: readonly Racked[];
  racks: readonly RackLinkView[];
  /** The job that measured the links; null: the newest links, whatever measured them. */
  job: number | null;
  isMeasuring: boolean;
  /** The word for a pair whose measurement did not end, such as "hung". */
  ended?: ((a: string, b: string) => string | undefined) | undefined;
  /** What is below the matrix of nodes. */
  about: (found: Matrix, links: readonly LinkView[]) => ReactNode;
}

/** The links of very many nodes: their racks first. A cell opens the nodes of its racks, and theirs the measurements of a link. */
export function RackFigure({ nodes, racks, ...rest }: Props) {
  const [chosen, setChosen] = useState<Two | null>(null);
  const found = racksOf(racks);
  if (found.names.length < 2) return <Slowest {...rest} nodes={nodes} racks={null} whole={found} />;
  if (!chosen) return <AllRacks found={found} onOpen={(a, b) => setChosen([a, b])} />;
  return (
    <>
      <p className={classes.chosen}>
        Nodes of {chosen[0] === chosen[1] ? `rack ${rackWord(chosen[0])}` : `the racks ${chosen.map(rackWord).join(" and ")}`}.{" "}
        <Button variant="subtle" size="compact-sm" onClick={() => setChosen(null)}>Show all racks</Button>
      </p>
      <Slowest {...rest} nodes={nodes.filter((node) => isOf(node, chosen))} racks={chosen} whole={wholeOf(found, chosen)} />
    </>
  );
}

function AllRacks({ found, onOpen }: { found: Racks; onOpen: (a: string, b: string) => void }) {
  const { worst } = found;
  return (
    <figure className={classes.links}>
      <RackTable found={found} onOpen={onOpen} />
      <Caption more="– means not measured. A stronger colour is a faster link. ▾ marks racks whose slowest direction is, with its whole interval, below 90 % of the median of these slowest directions.">
        The slowest link between each two racks; {found.measured.toLocaleString("en")} links are measured
        {worst && `, the slowest from ${worst.slowest_nodes.join(" to ")} with ${threeDigits(worst.slowest_low_gb_per_s)} to ${threeDigits(worst.slowest_high_gb_per_s)} GB/s`}
        {found.newestAt && `, the newest ${formatAgo(secondsBetween(found.newestAt, new Date().toISOString()))}`}. A click on a cell shows the nodes.
      </Caption>
    </figure>
  );
}

interface SlowestProps extends Omit<Props, "racks"> {
  racks: Two | null;
  whole: Pick<Matrix, "measured" | "median">;
}

function Slowest({ nodes, racks, job, isMeasuring, ended, about, whole: { measured, median } }: SlowestProps) {
  const links = useQuery(slowestLinksQuery(job, racks, isMeasuring));
  return (
    <Loaded query={links} what="The links could not be loaded" rows={8}>
      {(found) => <LinkFigure nodes={nodes} links={found} whole={{ measured, median }} ended={ended} about={(shown) => about(shown, found)} />}
    </Loaded>
  );
}
