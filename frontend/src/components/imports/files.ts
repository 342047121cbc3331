/** Files of other programs that the server explains. They stay chosen until the page is loaded again. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";
import { formatSize } from "../../lib/size";
import { explanationKey } from "../../data/keys";

/** The server's limits (explanations/question.py). */
export const MOST_FILES = 256;
export const MOST_BYTES = 32 * 2 ** 20;

export interface ChosenFiles {
  /** Tells one choice from the next, as files themselves are no key. */
  at: number;
  files: readonly File[];
}

let chosen: ChosenFiles = { at: 0, files: [] };

export function chosenFiles(): ChosenFiles {
  return chosen;
}

/** Chooses files for the page Diagnose; the older ones first, so that a report is compared with the one before it. */
export function chooseFiles(files: readonly File[]): ChosenFiles {
  chosen = { at: chosen.at + 1, files: [...files].sort((a, b) => a.lastModified - b.lastModified || a.name.localeCompare(b.name)) };
  return chosen;
}

/** Why files cannot be sent, or null. */
export function whyNot(files: readonly File[]): string | null {
  if (files.length > MOST_FILES) {
    return `These are ${files.length} files; the page takes at most ${MOST_FILES}. The commands of ringscope read more.`;
  }
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > MOST_BYTES
    ? `The files have ${formatSize(bytes)}; the page takes at most ${formatSize(MOST_BYTES)}. The commands of ringscope read more.`
    : null;
}

/** What the files are, and the explanation of each kind; nothing is stored. */
export function explanationQuery({ at, files }: ChosenFiles) {
  return queryOptions({
    queryKey: explanationKey(at),
    queryFn: async ({ signal }) => {
      const body = { files: await Promise.all(files.map(packed)) };
      return unwrap(await api.POST("/api/v1/files/explanation", { body, signal }));
    },
    enabled: files.length > 0,
    staleTime: Infinity,
    retry: false,
  });
}

/** A file as it is sent: compressed, as dumps are no text and logs are long. A folder of its path may tell the rank. */
async function packed(file: File): Promise<{ name: string; gzip_base64: string }> {
  const name = (file.webkitRelativePath || file.name).slice(-255);
  let bytes: ArrayBuffer;
  try {
    bytes = await new Response(file.stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  } catch {
    throw new Error(`${name} cannot be read; choose files, not folders, and choose them again if they have changed.`);
  }
  return { name, gzip_base64: base64(new Uint8Array(bytes)) };
}

const PART = 0x8000;

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += PART) parts.push(String.fromCharCode(...bytes.subarray(i, i + PART)));
  return btoa(parts.join(""));
}
