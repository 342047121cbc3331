import { useQuery } from "@tanstack/react-query";
import { engineQuery } from "../../data/server";
import type { JobSpec } from "../../api/types";
import { site } from "../../api/site";
import { curlCommand, submitCommand } from "../../lib/command";
import { Command } from "../controls/Command";
import { ServerCommand } from "../controls/ServerCommand";
import classes from "./SameJob.module.css";

/** Commands that submit the same job: for a terminal, and with curl. */
export function SameJob({ spec }: { spec: JobSpec }) {
  const engine = useQuery(engineQuery);
  return (
    <>
      <div className={classes.same}>
        <p className="dim">The same in a terminal</p>
        <ServerCommand text={submitCommand(spec, engine.data?.training)} />
      </div>
      <details className={classes.curl}>
        <summary className="dim">The same with curl</summary>
        <Command text={curlCommand(spec, site())} />
      </details>
    </>
  );
}
