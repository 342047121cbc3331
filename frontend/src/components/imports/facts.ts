/** The facts that a user adds to files of other tools, as they are typed. Pure. */
import type { Collective, ImportQuestion } from "../../api/types";

export interface Facts {
  gpu: string;
  nodes: string;
  ranks: string;
  cards: string;
  collective: Collective | "";
}

/** The request, without empty fields; a number that is none is left out, as it is still being typed. */
export function questionOf(files: ImportQuestion["files"], facts: Facts): ImportQuestion {
  const [nodes, ranks] = [whole(facts.nodes), whole(facts.ranks)];
  return {
    files,
    ...(facts.gpu.trim() && { gpu: facts.gpu.trim() }),
    ...(facts.cards.trim() && { cards: facts.cards.trim() }),
    ...(facts.collective && { collective: facts.collective }),
    ...(nodes !== null && { nodes }),
    ...(ranks !== null && { ranks }),
  };
}

function whole(text: string): number | null {
  return /^[1-9]\d{0,5}$/.test(text.trim()) ? Number(text) : null;
}
