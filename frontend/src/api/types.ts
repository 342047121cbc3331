/** Short names for the generated types. */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type JobView = Schemas["JobView"];
export type JobState = JobView["state"];
export type JobSpec = JobView["spec"];
export type JobPage = Schemas["JobPage"];
export type MeasurementView = Schemas["MeasurementView"];
export type LogLine = Schemas["LogLine"];
export type EventView = Schemas["EventView"];
export type AttemptEnvironment = Schemas["AttemptEnvironment"];
export type NodeEnvironment = Schemas["NodeEnvironment"];
export type RankBinding = Schemas["RankBinding"];
export type NodeView = Schemas["NodeView"];
export type Engine = Schemas["Engine"];
export type Collective = JobSpec["benchmark"]["collective"];
export type Algorithm = JobSpec["benchmark"]["algorithms"][number];
