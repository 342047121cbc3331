import { Command } from "../../components/controls/Command";
import { ServerCommand } from "../../components/controls/ServerCommand";
import { comparisonCurl, diffCommands } from "./comparisonCommand";
import { site } from "../../api/site";

interface Props {
  ids: readonly number[];
  base: number;
  isTraining?: boolean;
}

/** The comparison as commands to copy. */
export function SameComparison({ ids, base, isTraining = false }: Props) {
  return (
    <section className="card" aria-labelledby="terminal">
      <div className="card-head">
        <h2 id="terminal">The same in a terminal</h2>
      </div>
      <div className="card-body commands">
        <ServerCommand text={diffCommands(ids, base)} />
        <Command text={comparisonCurl(ids, base, isTraining, site())} label="Copy curl" />
      </div>
    </section>
  );
}
