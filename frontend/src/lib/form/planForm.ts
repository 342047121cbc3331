/** The planner's fields: text as typed, in the URL and as the question that the server answers. */
import type { FieldProblem } from "../../api/client";
import type { PlanQuestion, RegimeFigures, SensitivityQuestion } from "../../api/types";
import { atServer, withProgram } from "../command";
import { unreadable } from "./fieldWords";
import { shellQuote } from "../shell";
import { parseSize } from "../size";
import { problemsAt } from "./specForm";
import type { FieldTable } from "./types";

/** Every field as the text in its input. */
export type PlanForm = {
  collective: string;
  /** Comma-separated. */
  algorithms: string;
  /** Ranks, or a shape such as 4x8. */
  n: string;
  /** The latency of a message between nodes; empty: that of the link, none for a rate. */
  alpha: string;
  /** The link between nodes: a known link or a rate. */
  B: string;
  /** The message size on each rank. */
  S: string;
  /** How fast a rank adds; empty: adding takes no time. */
  gamma: string;
  intra: string;
  nics: string;
  /** Channels of rings and trees; empty: one for each card. */
  channels: string;
  oversubscription: string;
  servers: string;
};

export type PlanField = keyof PlanForm;

export const STANDARD_PLAN: PlanForm = {
  collective: "all_reduce",
  algorithms: "naive,parameter_server,direct,ring,halving_doubling,tree",
  n: "8",
  alpha: "",
  B: "ib200",
  S: "64MiB",
  gamma: "",
  intra: "nvlink4",
  nics: "",
  channels: "",
  oversubscription: "1",
  servers: "1",
};

/** The links inside a node for which NCCL's model knows the GPUs. */
const NCCL_KNOWS = /^nvlink[345]?$/;

/** The default algorithms: with NCCL's model too, on nodes of several GPUs that it knows, unless a fit is used. */
function usualAlgorithms({ collective, n = STANDARD_PLAN.n, intra = STANDARD_PLAN.intra, fit }: PlanSearch): string {
  const hasNodes = n.includes("x") && Number(n.slice(n.lastIndexOf("x") + 1)) > 1;
  const isKnown = (collective ?? "all_reduce") === "all_reduce" && hasNodes && NCCL_KNOWS.test(intra) && fit === undefined;
  return isKnown ? `${STANDARD_PLAN.algorithms},nccl` : STANDARD_PLAN.algorithms;
}

/** What the charts show, besides the fields of the model. */
export interface PlanSearch extends Partial<PlanForm> {
  /** The job whose rows the parameters are fitted to. */
  fit?: string;
  metric?: "busbw";
  view?: "table";
}

/** The planner's part of a URL, without defaults; a plain number for B is in GB/s. */
export function planSearch(search: Record<string, unknown>): PlanSearch {
  const { fit, metric, view } = search;
  const fields = Object.entries(search).flatMap(([key, value]): [string, string][] => {
    if (!Object.hasOwn(STANDARD_PLAN, key) || (typeof value !== "string" && typeof value !== "number")) return [];
    const text = key === "B" && /^\d+(\.\d+)?$/.test(String(value)) ? `${value}GB/s` : String(value);
    return text === STANDARD_PLAN[key as PlanField] && key !== "algorithms" ? [] : [[key, text]];
  });
  const said: PlanSearch = { ...Object.fromEntries(fields), ...(/^[1-9]\d*$/.test(String(fit)) && { fit: String(fit) }) };
  if (said.algorithms === usualAlgorithms(said)) delete said.algorithms;
  return {
    ...said,
    ...(metric === "busbw" && { metric }),
    ...(view === "table" && { view }),
  };
}

/** The fields, with the default for those that the URL lacks or that the page does not have. */
export function planForm(search: PlanSearch): PlanForm {
  const said = Object.entries(search).filter(([key]) => Object.hasOwn(STANDARD_PLAN, key));
  const form = { ...STANDARD_PLAN, algorithms: usualAlgorithms(search), ...Object.fromEntries(said) };
  const unasked = hiddenFields(form, search.fit !== undefined).map((field) => [field, STANDARD_PLAN[field]]);
  return { ...form, ...Object.fromEntries(unasked) };
}

/** Fields that the page does not show: links beside a fit, fields that only nodes have, servers if no algorithm has one. */
export function hiddenFields(form: PlanForm, isFitted: boolean): readonly PlanField[] {
  const isFlat = /^\d+$/.test(form.n);
  return [
    ...(isFitted ? (["B", "alpha", "gamma", "intra"] as const) : []),
    ...(isFlat ? (["intra", "nics", "channels", "oversubscription"] as const) : []),
    ...(/server/.test(form.algorithms) ? [] : (["servers"] as const)),
  ];
}

export interface PlanPreset {
  name: string;
  /** The source of the figures. */
  about: string;
  search: PlanSearch;
}

export const PLAN_PRESETS: readonly PlanPreset[] = [
  {
    name: "Lecture: 10 GPUs, 1.2 GB",
    about: "Deep Speech 2: 300 million float32 gradients, 1.2 GB, on 10 workers with 1 GB/s",
    search: { algorithms: "gather,naive,separate_servers,ring", n: "10", B: "1GB/s", S: "1.2GB", servers: "10" },
  },
  {
    name: "Lecture: GPT-3, 3 replicas",
    about: "175 billion float32 gradients, 700 GB, on 3 replicas with 200 Gbit/s",
    search: { algorithms: "gather,naive,ring", n: "3", B: "25GB/s", S: "700GB" },
  },
  {
    name: "GPT-3",
    about: "175 billion gradients of 16 bits, 350 GB, on 64 ranks of 8 nodes with 200 Gbit/s cards",
    search: { algorithms: "naive,direct,ring,hierarchical", n: "8x8", B: "ib200", S: "350GB" },
  },
];

/** The most letters of a size that the server reads. */
const MOST_TYPED = 40;

/** The question for one size, for the table and the sensitivity; text that is no number is sent as it is. */
export function planQuestion(form: PlanForm, parameters: readonly RegimeFigures[] = []): PlanQuestion {
  const question = {
    collective: form.collective,
    algorithms: form.algorithms.split(",").filter(Boolean),
    sizes_bytes: [parseSize(form.S) ?? form.S],
    cluster: {
      shape: form.n,
      link: form.B,
      latency_us: microseconds(form.alpha),
      intra: form.intra,
      nics_per_node: numberOrNull(form.nics),
      channels: numberOrNull(form.channels),
      oversubscription: numberOrNull(form.oversubscription) ?? 1,
      reduce_gb_per_s: gigabytes(form.gamma),
    },
    servers: numberOrNull(form.servers) ?? 1,
    typed_size: form.S.slice(0, MOST_TYPED),
    shapes: [],
    parameters: [...parameters],
  };
  return question as PlanQuestion;
}

/** The question how times change if each figure grows by 10 %. */
export function sensitivityQuestion(form: PlanForm, parameters: readonly RegimeFigures[]): SensitivityQuestion {
  const { collective, algorithms, cluster, servers, parameters: regimes } = planQuestion(form, parameters);
  return { collective, algorithms, cluster, servers, parameters: regimes, size_bytes: parseSize(form.S) ?? 1, factor: 1.1 };
}

function microseconds(text: string): number | string | null {
  if (text.trim() === "") return null;
  const match = /^\s*(\d*\.?\d+)\s*(s|ms|us|µs|ns)?\s*$/.exec(text);
  const perUnit: Record<string, number> = { s: 1e6, ms: 1e3, us: 1, µs: 1, ns: 1e-3 };
  return match ? Number((Number(match[1]) * (perUnit[match[2] ?? "us"] ?? 1)).toPrecision(12)) : text;
}

/** The number in "50GB/s" or "50", null for empty text; any other text as it is. */
export function gigabytes(text: string): number | string | null {
  const match = /^\s*(\d*\.?\d+)\s*(?:GB\/s)?\s*$/i.exec(text);
  return match ? Number(match[1]) : text.trim() === "" ? null : text;
}

function numberOrNull(text: string): number | string | null {
  if (text.trim() === "") return null;
  return Number.isFinite(Number(text)) ? Number(text) : text;
}

const FIELDS: FieldTable<PlanField> = {
  collective: { pointer: "/collective", label: "Collective", reads: "text" },
  algorithms: { pointer: "/algorithms", label: "Algorithms", reads: "names" },
  n: { pointer: "/cluster/shape", label: "Ranks N", reads: "text" },
  S: { pointer: "/sizes_bytes", label: "Size K", reads: "size" },
  B: { pointer: "/cluster/link", label: "Link between nodes B", reads: "text" },
  alpha: { pointer: "/cluster/latency_us", label: "Latency α", reads: "optional text" },
  gamma: { pointer: "/cluster/reduce_gb_per_s", label: "Adding 1/γ", reads: "optional text" },
  intra: { pointer: "/cluster/intra", label: "Link inside nodes", reads: "text" },
  nics: { pointer: "/cluster/nics_per_node", label: "Network cards", reads: "optional whole number" },
  channels: { pointer: "/cluster/channels", label: "Channels", reads: "optional whole number" },
  oversubscription: { pointer: "/cluster/oversubscription", label: "Oversubscription", reads: "optional number" },
  servers: { pointer: "/servers", label: "Servers", reads: "optional whole number" },
};

/** The problems by field: text that cannot be read, then the server's sentences; the page shows those without a field. */
export function planProblems(form: PlanForm, problems: readonly FieldProblem[]): Partial<Record<PlanField, string>> {
  return {
    ...problemsAt(FIELDS, problems).fields,
    ...unreadable(FIELDS, form),
    ...(form.n.trim() === "" && { n: "Write how many ranks, or a shape: 16, 4x8 or 2x4x8." }),
    ...(typeof microseconds(form.alpha) === "string" && { alpha: "This is no time; write it as 5us or 2ms." }),
    ...(typeof gigabytes(form.gamma) === "string" && { gamma: "This is no rate; write it as 50GB/s." }),
  };
}

/** The same prices as a command; a fit needs a job of the server at `origin`, `program` is the command that runs ringscope. */
export function planCommand(form: PlanForm, origin: string, fit?: string, program?: string | null): string {
  const question = planQuestion(form);
  const { latency_us: latency, reduce_gb_per_s: adding } = question.cluster;
  const isFlat = /^\d+$/.test(form.n);
  const words = [
    "ringscope", "plan",
    ...(form.collective === "all_reduce" ? [] : [form.collective]),
    "--algorithm", form.algorithms,
    ...(isFlat ? ["--ranks", form.n] : ["--topology", form.n]),
    "--bytes", form.S,
    ...(fit ? ["--fit", "fit.json"] : ["--link", form.B]),
    ...(fit || latency == null ? [] : ["--latency", `${latency}us`]),
    ...(isFlat && form.intra === STANDARD_PLAN.intra ? [] : ["--intra", form.intra]),
    ...(form.nics === "" ? [] : ["--nics", form.nics]),
    ...(form.channels === "" ? [] : ["--channels", form.channels]),
    ...(form.oversubscription === "1" ? [] : ["--oversubscription", form.oversubscription]),
    ...(fit || adding == null ? [] : ["--gamma", `${adding}GB/s`]),
    ...(form.servers === "1" ? [] : ["--servers", form.servers]),
  ];
  const command = withProgram(words.map((word) => shellQuote(String(word))).join(" "), program);
  return fit ? `${atServer(`ringscope fit --job ${fit} --json`, origin, program)} > fit.json && ${command}` : command;
}
