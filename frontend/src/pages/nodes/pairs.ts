/** The pairs of nodes that a press of "Measure" measures, and the job for each. Pure. */
import type { JobSpec, LinkView, NodeView } from "../../api/types";
import { MOST_IN_MATRIX } from "../../lib/nodes";

/** The pairs of as many nodes as the matrix shows. */
export const MOST_PAIRS = (MOST_IN_MATRIX * (MOST_IN_MATRIX - 1)) / 2;

export type Pair = readonly [a: string, b: string];

/** The nodes that would run a benchmark now. */
export function usableNodes(nodes: readonly NodeView[]): NodeView[] {
  return nodes.filter(
    ({ observed, desired, slots_total: slots, inventory }) =>
      observed !== "lost" && desired === "active" && slots > 0 && !inventory.lacks.some(({ kinds }) => kinds.includes("benchmark")),
  );
}

/**
 * The pairs of usable nodes, those without a measurement first; with `only`, its pairs. Neighbours in the list share no
 * node where possible, as such jobs run at the same time. A pair with one address is left out: no job can use it.
 */
export function pairsOf(nodes: readonly NodeView[], links: readonly LinkView[], only?: string): Pair[] {
  const usable = usableNodes(nodes);
  const byName = new Map(usable.map((node) => [node.name, node]));
  const measured = new Set(links.map((link) => [...link.nodes].sort().join("\n")));
  const isDone = (pair: Pair): number => Number(measured.has([...pair].sort().join("\n")));
  return rounds(usable.map(({ name }) => name))
    .filter((pair) => (only === undefined || pair.includes(only)) && !haveOneAddress(byName.get(pair[0]), byName.get(pair[1])))
    .sort((a, b) => isDone(a) - isDone(b))
    .slice(0, MOST_PAIRS);
}

function haveOneAddress(a: NodeView | undefined, b: NodeView | undefined): boolean {
  const machine = (node: NodeView | undefined): string | undefined => (node?.inventory.only_here ? node.inventory.hostname : "");
  return a?.address !== "" && a?.address === b?.address && machine(a) === machine(b);
}

/** Every pair once, as in a tournament: in each round each name meets another one, all but one stand in a circle that turns. */
function rounds(names: readonly string[]): Pair[] {
  const [fixed, ...circle]: (string | null)[] = names.length % 2 === 0 ? [...names] : [...names, null];
  return circle.flatMap((_, turn) => {
    const turned = [fixed, ...circle.slice(turn), ...circle.slice(0, turn)];
    return turned.slice(0, turned.length / 2).flatMap((a, i): Pair[] => {
      const b = turned[turned.length - 1 - i];
      return a && b ? [[a, b]] : [];
    });
  });
}

/** The sendrecv that measures a pair: as the command on this page, and on these two nodes. */
export function pairSpec([a, b]: Pair): JobSpec {
  const benchmark = { collective: "sendrecv", algorithms: ["mpi"], min_bytes: 2 ** 20, max_bytes: 2 ** 26, step_factor: 4 };
  const spec = { name: `link ${a} ${b}`, kind: "benchmark", benchmark, placement: { ranks: 2, node_names: [a, b] } };
  // The server completes what is left out.
  return spec as unknown as JobSpec;
}
