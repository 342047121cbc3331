import { CopyMenu } from "../../components/controls/CopyMenu";
import { useProgram } from "../../components/hooks/useProgram";
import { atServer } from "../../lib/command";
import { comparisonCurl, diffCommands } from "./comparisonCommand";
import { site } from "../../api/site";

interface Props {
  ids: readonly number[];
  base: number;
  isTraining?: boolean;
}

/** The comparison as commands to copy, one for each pair of jobs. */
export function CopyComparison({ ids, base, isTraining = false }: Props) {
  const program = useProgram();
  const commands = diffCommands(ids, base);
  const copied = commands.map((command) => atServer(command, site(), program)).join(" && ");
  return <CopyMenu command={commands.join("; ")} copied={copied} curl={comparisonCurl(ids, base, isTraining, site())} />;
}
