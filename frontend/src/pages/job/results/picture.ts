/** A job's chart as a picture for a report: the title, the verdict, the lines, and where they come from. */
import type { BenchmarkJob } from "../../../api/types";
import { token } from "../../../charts/token";
import { download } from "../../../lib/download";
import { jobWord, jobName } from "../../../lib/state";
import { caveats } from "../../../lib/sweep/caveats";

const MARGIN_PX = 20;
const TITLE_PX = 18;
const TEXT_PX = 13;
const LINE = 1.45;

/** Saves the chart in sight with the sentence as a PNG, in the colours of the page and at the screen's resolution. */
export async function savePicture(job: BenchmarkJob, sentence: string): Promise<void> {
  const chart = document.querySelector<HTMLCanvasElement>("figure canvas");
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!chart || !context) return;
  const ratio = chart.width / chart.clientWidth;
  const width = chart.clientWidth + 2 * MARGIN_PX;
  const family = token(chart, "--font");
  const marks = caveats(job).map(({ word }) => word).join(", ");
  context.font = `${TEXT_PX}px ${family}`;
  const lines = wrapped(marks ? `${sentence} (${marks})` : sentence, (text) => context.measureText(text).width <= chart.clientWidth);
  const top = MARGIN_PX + LINE * (TITLE_PX + TEXT_PX * lines.length) + MARGIN_PX / 2;
  canvas.width = width * ratio;
  canvas.height = (top + chart.clientHeight + LINE * TEXT_PX + MARGIN_PX) * ratio;
  context.scale(ratio, ratio);
  context.fillStyle = token(chart, "--surface");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = "top";
  context.fillStyle = token(chart, "--text");
  context.font = `600 ${TITLE_PX}px ${family}`;
  context.fillText(jobName(job), MARGIN_PX, MARGIN_PX);
  context.font = `${TEXT_PX}px ${family}`;
  lines.forEach((line, i) => context.fillText(line, MARGIN_PX, MARGIN_PX + LINE * (TITLE_PX + TEXT_PX * i)));
  context.drawImage(chart, MARGIN_PX, top, chart.clientWidth, chart.clientHeight);
  context.fillStyle = token(chart, "--dim");
  context.fillText(`Ringscope ${jobWord(job)}, ${window.location.href}`, MARGIN_PX, top + chart.clientHeight + MARGIN_PX / 2);
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (picture) download(`ringscope-job-${job.id}.png`, picture, "image/png");
}

/** The text in lines that fit, broken between words. */
export function wrapped(text: string, fits: (line: string) => boolean): string[] {
  return text.split(" ").reduce<string[]>((lines, word) => {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last === undefined || !fits(longer)) return [...lines, word];
    return [...lines.slice(0, -1), longer];
  }, []);
}
