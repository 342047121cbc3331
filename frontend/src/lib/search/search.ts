/** The URL's query as the pages use it: plain strings, readable in the address bar, nothing for a default. */
import type { JobState, JobView, JudgementKind } from "../../api/types";
import { JUDGEMENTS } from "../judgement";
import { type JobFilter, type Sort, SORTS } from "./jobFilter";
import { JOB_STATES } from "../state";

/** "?a=1&b=x" as an object of strings. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/**
 * The opposite; undefined values are left out, commas stay readable. An empty string stays: it means that a field is
 * empty whose default is not.
 */
export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, String(value)]);
  const text = new URLSearchParams(pairs).toString().replaceAll("%2C", ",");
  return text ? `?${text}` : "";
}

const JOBS = /^[\d,]+$/;

/** The job list: its filter, its order, and the chosen jobs. */
export interface JobsSearch extends JobFilter {
  /** The newest first when absent. */
  sort?: Sort;
  /** Numbers of the chosen jobs, with commas. */
  chosen?: string;
  /** The job to which differences are shown; the browser's base job when absent. */
  base?: string;
}

/** The words that a filter allows. */
const KNOWN = {
  state: Object.keys(JOB_STATES),
  kind: ["benchmark", "training", "script", "strategy_search", "diagnosis", "imported"],
  judgement: Object.keys(JUDGEMENTS),
} as const satisfies Record<string, readonly string[]>;
const WORD = /^[a-z_]+$/;

export function jobsSearch(search: Record<string, unknown>): JobsSearch {
  const { state, kind, collective, algo, algorithm = algo, user, judgement, node, q, sort, chosen, base } = search;
  return {
    // An unknown state stays in the address, so that the page can report it.
    ...(typeof state === "string" && state !== "" && { state: state as JobState }),
    ...(typeof kind === "string" && kind !== "" && { kind: kind as JobView["kind"] }),
    ...(typeof collective === "string" && WORD.test(collective) && { collective }),
    ...(typeof algorithm === "string" && WORD.test(algorithm) && { algorithm }),
    ...(typeof user === "string" && user !== "" && { user }),
    ...(typeof judgement === "string" && judgement !== "" && { judgement: judgement as JudgementKind }),
    ...(typeof node === "string" && node !== "" && { node }),
    ...(typeof q === "string" && q !== "" && { q }),
    ...(SORTS.includes(sort as Sort) && { sort: sort as Sort }),
    ...(typeof chosen === "string" && JOBS.test(chosen) && { chosen }),
    ...(isNumber(base) && { base }),
    // The short word leaves the address, where it would outlive a change of the filter.
    ...(algo !== undefined && { algo: undefined }),
  };
}

const OF_THE_LIST: readonly string[] = ["state", "kind", "collective", "algorithm", "user", "judgement", "node", "q", "sort"];
const BESIDE_THE_LIST: readonly string[] = ["chosen", "base"];

/** The part that identifies the list, without the chosen jobs and the base job. */
export function listSearch(search: JobsSearch): JobsSearch {
  return Object.fromEntries(Object.entries(search).filter(([key, value]) => OF_THE_LIST.includes(key) && !isStrange(key, String(value))));
}

/** The unknown words of an address, and what was done instead; empty if there are none. */
export function strangeWords(search: JobsSearch): string {
  const values = Object.entries(KNOWN).flatMap(([key, words]) => {
    const asked = search[key as keyof typeof KNOWN];
    return asked && isStrange(key, asked) ? [`There is no ${key} “${asked.slice(0, 40)}”, so that every ${key} is shown; choose one of ${words.join(", ")}.`] : [];
  });
  return [...values, ...unknownKeys(search)].join(" ");
}

function unknownKeys(search: object): string[] {
  const known = [...OF_THE_LIST, ...BESIDE_THE_LIST];
  const keys = Object.entries(search).flatMap(([key, value]) => (value === undefined || known.includes(key) ? [] : [`“${key.slice(0, 40)}”`]));
  return keys.length === 0 ? [] : [`The list has no filter ${keys.join(", ")}, so that it filters by none; choose among ${OF_THE_LIST.slice(0, -1).join(", ")}.`];
}

function isStrange(key: string, value: string): boolean {
  return Object.hasOwn(KNOWN, key) && !(KNOWN[key as keyof typeof KNOWN] as readonly string[]).includes(value);
}

/** Only the filter. */
export function filterOf(search: JobsSearch): JobFilter {
  return Object.fromEntries(Object.entries(listSearch(search)).filter(([key]) => key !== "sort"));
}

/** "3,1,3" as job numbers, each once, in the order given. */
export function chosenIds(text: string | undefined): number[] {
  return [...new Set((text ?? "").split(",").filter(Boolean).map(Number))];
}

/** `limit`: bus bandwidth as a share of what the slowest link allows. */
export const METRICS = ["busbw", "algbw", "time", "limit"] as const;
export type Metric = (typeof METRICS)[number];

/** Which statistic stands for the iterations of a row. */
export const STATISTICS = ["mean", "median"] as const;
export type Statistic = (typeof STATISTICS)[number];

export const TABS = ["results", "latency", "stragglers", "log", "configuration"] as const;
export type Tab = (typeof TABS)[number];

/** The reference lines beside the measured ones; when absent, the cost model if it is fitted to this machine, else nothing. */
export const BESIDE = ["model", "baseline", "base", "nothing"] as const;
export type Beside = (typeof BESIDE)[number];

/** Streams of log lines: output of ranks and launcher, errors there, messages of the agents. */
export const STREAMS = ["stdout", "stderr", "agent"] as const;
export type Stream = (typeof STREAMS)[number];

/** Levels of log lines, by their words: warnings and errors, or errors only. */
export const LEVELS = ["warning", "error"] as const;
export type Level = (typeof LEVELS)[number];

export interface JobSearch {
  /** Which part of the page; the results when absent. */
  tab?: Exclude<Tab, "results">;
  beside?: Beside;
  /** The base job of the reference lines; the browser's base job when absent. */
  base?: string;
  /** The size in bytes that every part of the page shows; the largest one when absent. */
  size?: string;
  /** The smallest size of the verdict, in bytes; the sweep's smallest when absent. */
  min_bytes?: string;
  /** The largest size of the verdict, in bytes; the sweep's largest when absent. */
  max_bytes?: string;
  /** The rank of the log lines; all ranks when absent. */
  rank?: string;
  /** Log lines are cut at the edge instead of wrapped. */
  wrap?: "off";
  /** What the chart shows; busbw when absent. */
  metric?: Exclude<Metric, "busbw">;
  /** The statistic of a row's iterations; their mean when absent. */
  stat?: "median";
  /** The value axis; when absent, logarithmic for times and over a wide range of sizes. */
  y?: "linear" | "log";
  /** Without the bands from p5 to p95. */
  band?: "off";
  /** Algorithms that the chart leaves out, with commas. */
  hide?: string;
  /** Which buffers: out of place when absent. */
  place?: "in" | "both";
  /** The chart as a table. */
  view?: "table";
  /** The timeline within the newest step as a table. */
  inside?: "table";
  /** The algorithm whose table is shown; the first of the spec when absent. */
  algorithm?: string;
  /** Text that a log line must contain. */
  log?: string;
  /** The chosen cell of the strips of lateness: rank, or "after" for the time after the last one, and first iteration. */
  cell?: string;
  /** That text is a regular expression; words when absent. */
  match?: "regex";
  /** Log lines of this stream only. */
  stream?: Stream;
  /** Log lines of at least this level. */
  level?: Level;
  /** The log at this time: the last line printed by then is marked. ISO 8601, in UTC. */
  at?: string;
}

const NAMES = /^\w+(,\w+)*$/;
const CELL = /^(\d{1,6}|after)\.\d{1,12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

/** Which reference lines an address asks for; "usual", and "baseline" with a job, are of 0.1.0. */
function besideOf({ beside, base }: Record<string, unknown>): Beside | undefined {
  if (beside === "usual") return "baseline";
  if (beside === "baseline" && isNumber(base)) return "base";
  return BESIDE.find((known) => known === beside);
}

export function jobSearch(search: Record<string, unknown>): JobSearch {
  const { metric, place, view, inside, algorithm, log, size, rank, wrap, cell, match, stat, y, band, hide, base, at } = search;
  const { min_bytes: minBytes, max_bytes: maxBytes } = search;
  const tab = TABS.find((known) => known === search.tab);
  const beside = besideOf(search);
  const stream = STREAMS.find((known) => known === search.stream);
  const level = LEVELS.find((known) => known === search.level);
  return {
    ...(tab && tab !== "results" && { tab }),
    ...(beside && { beside }),
    ...(beside === "base" && isNumber(base) && { base }),
    ...(isNumber(size) && { size }),
    ...(isNumber(minBytes) && { min_bytes: minBytes }),
    ...(isNumber(maxBytes) && { max_bytes: maxBytes }),
    ...(isNumber(rank) && { rank }),
    ...(wrap === "off" && { wrap }),
    ...((metric === "algbw" || metric === "time" || metric === "limit") && { metric }),
    ...(stat === "median" && { stat }),
    ...((y === "linear" || y === "log") && { y }),
    ...(band === "off" && { band }),
    ...(typeof hide === "string" && NAMES.test(hide) && { hide }),
    ...((place === "in" || place === "both") && { place }),
    ...(view === "table" && { view }),
    ...(inside === "table" && { inside }),
    ...(typeof algorithm === "string" && algorithm !== "" && { algorithm }),
    ...(typeof log === "string" && log !== "" && { log }),
    ...(typeof cell === "string" && CELL.test(cell) && { cell }),
    ...(match === "regex" && { match }),
    ...(stream && { stream }),
    ...(level && { level }),
    ...(typeof at === "string" && INSTANT.test(at) && !Number.isNaN(Date.parse(at)) && { at }),
  };
}

function isNumber(text: unknown): text is string {
  return typeof text === "string" && /^\d{1,15}$/.test(text);
}

export interface CompareSearch {
  /** Job numbers with commas. */
  ids?: string;
  /** The job that ratios are to; the first one when absent. */
  base?: string;
  /** The x axis of the training charts; steps when absent. */
  x?: "time";
  /** Benchmarks: the algorithm of the rows; the fastest one at each size when absent. */
  algorithm?: string;
  /** Benchmarks: which buffers; out of place when absent. */
  place?: "in";
  /** Benchmarks: the speedup over the base job, instead of bus bandwidth. */
  scale?: "ratio";
  /** Benchmarks: the value axis; logarithmic for a wide range of sizes when absent. */
  y?: "log" | "linear";
  /** Benchmarks: without the bands from p5 to p95. */
  band?: "off";
  /** Benchmarks: numbers of the jobs that the chart leaves out, with commas. */
  hide?: string;
  /** Training: the charts as tables. */
  view?: "table";
}

export function compareSearch(search: Record<string, unknown>): CompareSearch {
  const { ids, base, x, algorithm, place, scale, y, band, hide, view } = search;
  return {
    ...(typeof ids === "string" && JOBS.test(ids) && { ids }),
    ...(typeof base === "string" && /^\d+$/.test(base) && { base }),
    ...(x === "time" && { x }),
    ...(typeof algorithm === "string" && /^\w+$/.test(algorithm) && { algorithm }),
    ...(place === "in" && { place }),
    ...(scale === "ratio" && { scale }),
    ...((y === "linear" || y === "log") && { y }),
    ...(band === "off" && { band }),
    ...(typeof hide === "string" && JOBS.test(hide) && { hide }),
    ...(view === "table" && { view }),
  };
}

/** One item of a list, by its number. */
export interface ChosenSearch {
  id?: string;
}

/** The chosen schedule, or the job for which a new one is to be made. */
export interface SchedulesSearch extends ChosenSearch {
  job?: string;
}

export function schedulesSearch({ id, job }: Record<string, unknown>): SchedulesSearch {
  return { ...chosenSearch({ id }), ...(typeof job === "string" && /^\d+$/.test(job) && { job }) };
}

export function chosenSearch({ id }: Record<string, unknown>): ChosenSearch {
  return typeof id === "string" && /^\d+$/.test(id) ? { id } : {};
}
