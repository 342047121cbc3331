import type { CopyText } from "../../components/controls/CopyButton";
import { CopyMenu } from "../../components/controls/CopyMenu";
import { useProgram } from "../../components/hooks/useProgram";
import { atServer } from "../../lib/command";
import { type ComparedPart, comparisonCurl, diffCommands } from "./comparisonCommand";
import { site } from "../../api/site";

interface Props {
  ids: readonly number[];
  base: number;
  part: ComparedPart;
  /** More formats, by name. */
  more?: readonly (readonly [name: string, text: CopyText])[];
}

/** The comparison as commands to copy, one for each pair of jobs. */
export function CopyComparison({ ids, base, part, more = [] }: Props) {
  const program = useProgram();
  const commands = diffCommands(ids, base);
  const copied = commands.map((command) => atServer(command, site(), program)).join(" && ");
  return <CopyMenu command={commands.join("; ")} copied={copied} curl={comparisonCurl(ids, base, part, site())} more={more} />;
}
