import { useQuery } from "@tanstack/react-query";
import { engineQuery } from "../../data/server";
import type { JobSpec } from "../../api/types";
import { site } from "../../api/site";
import { postCommand, submitCommand } from "../../lib/command";
import { SameRequest } from "./SameRequest";

/** Commands that submit the same job. */
export function SameJob({ spec }: { spec: JobSpec }) {
  const engine = useQuery(engineQuery);
  return <SameRequest command={submitCommand(spec, engine.data)} curl={postCommand("/jobs", spec, site())} />;
}
