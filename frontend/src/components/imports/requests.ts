/** Results of other tools: what is read in them, and how they are stored. */
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client";
import type { ImportQuestion, StoredFiles } from "../../api/types";

/** What the server reads in files; nothing is stored. `at` numbers the choice of files, whose texts are too long for a key. */
export function previewQuery(at: number, question: ImportQuestion) {
  const { files, ...facts } = question;
  return queryOptions({
    queryKey: ["imports", "preview", at, files.map(({ name }) => name), facts],
    queryFn: async ({ signal }) => unwrap(await api.POST("/api/v1/imports/preview", { body: question, signal })).files,
    placeholderData: (earlier) => earlier,
    gcTime: 0,
    retry: false,
  });
}

/** Stores every table as a job, or nothing. */
export async function storeImports(question: ImportQuestion): Promise<StoredFiles> {
  return unwrap(await api.POST("/api/v1/imports", { body: question }));
}
