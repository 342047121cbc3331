import { type ReactNode, Suspense, useState } from "react";
import type { LinkView } from "../../api/types";
import { Dialog } from "../controls/Dialog";
import { lazyPart } from "../lazyPart";
import { Skeleton } from "../states/Skeleton";
import classes from "./LinkFigure.module.css";
import { LinkTable } from "./LinkTable";
import { type Matrix, matrix, type Racked } from "./matrix";

// Only who opens a cell needs it.
const LinkHistory = lazyPart(async () => (await import("./LinkHistory")).default);

export type Two = readonly [a: string, b: string];

interface Props {
  nodes: readonly Racked[];
  links: readonly LinkView[];
  /** The row of this node alone. */
  only?: string | undefined;
  /** The word for a pair whose measurement did not end, such as "hung". */
  ended?: ((a: string, b: string) => string | undefined) | undefined;
  /** What is below the matrix of nodes. */
  about: (found: Matrix) => ReactNode;
  /** Figures of all links, where these are only the slowest ones. */
  whole?: Pick<Matrix, "measured" | "median"> | undefined;
}

/** The links of nodes as a matrix; of more than fit into it those with the slowest links. A cell opens the measurements of its link. */
export function LinkFigure({ nodes, links, only, ended, about, whole }: Props) {
  const [opened, setOpened] = useState<Two | null>(null);
  const found = { ...matrix(nodes, links), ...whole };
  return (
    <figure className={classes.links}>
      <LinkTable found={found} only={only} ended={ended} onOpen={(a, b) => setOpened([a, b])} />
      {about(found)}
      <LinkDialog link={opened} rail={opened && found.at(...opened)?.rail} onClose={() => setOpened(null)} />
    </figure>
  );
}

/** The measurements of one link, over the page: those of a rail first, if one is given. */
export function LinkDialog({ link, rail, onClose }: { link: Two | null; rail?: number | null | undefined; onClose: () => void }) {
  return (
    <Dialog title={link ? `Link between ${link.join(" and ")}` : ""} isOpen={link !== null} onClose={onClose} isWide>
      {link && (
        <Suspense fallback={<Skeleton rows={6} />}>
          <LinkHistory a={link[0]} b={link[1]} rail={rail ?? null} />
        </Suspense>
      )}
    </Dialog>
  );
}
