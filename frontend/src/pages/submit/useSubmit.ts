import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { api, ApiError, type FieldProblem, randomKey, unwrap } from "../../api/client";
import type { JobSpec } from "../../api/types";
import type { Problems } from "../../lib/specForm";

/** How a form finds the server's problems among its fields. */
export type FindProblems = (found: readonly FieldProblem[]) => { fields: Problems; other: string[] };

/**
 * Posts the specification and goes to the new job. The same content keeps its idempotency key, so that pressing twice,
 * or again after a lost answer, makes one job. After a refusal the first of `fields` with a sentence gets the focus.
 */
export function useSubmit(spec: JobSpec, find: FindProblems, fields: readonly string[]) {
  const navigate = useNavigate();
  const sent = useRef({ content: "", key: "" });
  const mutation = useMutation({
    mutationFn: async () => {
      const content = JSON.stringify(spec);
      if (sent.current.content !== content) sent.current = { content, key: randomKey() };
      return unwrap(
        await api.POST("/api/v1/jobs", {
          params: { header: { "idempotency-key": sent.current.key } },
          body: spec,
        }),
      );
    },
    onSuccess: (job) => navigate({ to: "/jobs/$jobId", params: { jobId: job.id } }),
  });
  const { error } = mutation;
  const latest = useRef({ find, fields });
  useEffect(() => {
    latest.current = { find, fields };
  });
  useEffect(() => {
    if (!(error instanceof ApiError)) return;
    const problems = Object.keys(latest.current.find(error.fields).fields);
    focusFirst(problems, latest.current.fields);
  }, [error]);
  return {
    submit: () => {
      if (!mutation.isPending) mutation.mutate();
    },
    isSubmitting: mutation.isPending,
    error: error instanceof ApiError || error === null ? error : new ApiError(0, "", error.message, []),
  };
}

/** "model_arguments.heads" belongs to the field model_arguments. */
function focusFirst(problems: readonly string[], fields: readonly string[]): void {
  const inOrder = fields.flatMap((field) => problems.filter((name) => name === field || name.startsWith(`${field}.`)));
  if (inOrder[0]) document.querySelector<HTMLElement>(`[name="${inOrder[0]}"]`)?.focus();
}
