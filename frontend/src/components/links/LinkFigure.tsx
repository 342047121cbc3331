import { Button } from "@mantine/core";
import { type ReactNode, Suspense, useState } from "react";
import type { LinkView } from "../../api/types";
import { Caption } from "../marks/Caption";
import { Dialog } from "../controls/Dialog";
import { lazyPart } from "../lazyPart";
import { Skeleton } from "../states/Skeleton";
import classes from "./LinkFigure.module.css";
import { LinkTable, RackTable } from "./LinkTable";
import { type Matrix, matrix, MOST_IN_MATRIX, type Racked, racksOf } from "./matrix";

// Only who opens a cell needs it.
const LinkHistory = lazyPart(async () => (await import("./LinkHistory")).default);

export type Two = readonly [a: string, b: string];

interface Props {
  nodes: readonly Racked[];
  links: readonly LinkView[];
  /** The row of this node alone. */
  only?: string | undefined;
  /** The word for a pair whose measurement did not end, such as "hung". */
  ended?: (a: string, b: string) => string | undefined;
  /** What is below the matrix of nodes. */
  about: (found: Matrix) => ReactNode;
}

/** The links of nodes as a matrix: of very many nodes their racks first. A cell opens the measurements of its link. */
export function LinkFigure({ nodes, links, only, ended, about }: Props) {
  const [opened, setOpened] = useState<Two | null>(null);
  const [chosen, setChosen] = useState<Two | null>(null);
  const racks = only === undefined && nodes.length > MOST_IN_MATRIX ? racksOf(nodes, links) : null;
  const inRacks = racks && chosen ? nodes.filter(({ rack }) => rack !== null && chosen.includes(rack)) : nodes;
  const found = matrix(inRacks, links);
  return (
    <figure className={classes.links}>
      {racks && chosen && (
        <p className={classes.chosen}>
          Nodes of {chosen[0] === chosen[1] ? `rack ${chosen[0]}` : `the racks ${chosen.join(" and ")}`}.{" "}
          <Button variant="subtle" size="compact-sm" onClick={() => setChosen(null)}>Show all racks</Button>
        </p>
      )}
      {racks && !chosen ? (
        <>
          <RackTable {...racks} onOpen={(a, b) => setChosen([a, b])} />
          <Caption more="– means not measured. A stronger colour is a faster link.">
            The slowest link between each two racks; {found.measured} of {found.pairs} links are measured. A click on a cell shows the nodes.
          </Caption>
        </>
      ) : (
        <>
          <LinkTable found={found} only={only} ended={ended} onOpen={(a, b) => setOpened([a, b])} />
          {about(found)}
        </>
      )}
      <LinkDialog link={opened} onClose={() => setOpened(null)} />
    </figure>
  );
}

/** The measurements of one link, over the page. */
export function LinkDialog({ link, onClose }: { link: Two | null; onClose: () => void }) {
  return (
    <Dialog title={link ? `Link between ${link.join(" and ")}` : ""} isOpen={link !== null} onClose={onClose} isWide>
      {link && (
        <Suspense fallback={<Skeleton rows={6} />}>
          <LinkHistory a={link[0]} b={link[1]} />
        </Suspense>
      )}
    </Dialog>
  );
}
