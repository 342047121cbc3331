import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { api, ApiError, type FieldProblem, randomKey, unwrap } from "../../api/client";
import type { JobSpec } from "../../api/types";

/**
 * Posts the specification and opens the new job. The same content keeps its idempotency key, so that pressing twice,
 * or again after a lost answer, makes one job. Problems of fields are passed to `onRefused`.
 */
export function useSubmit(spec: JobSpec, onRefused: (problems: readonly FieldProblem[]) => void) {
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
    onError: (error) => {
      if (error instanceof ApiError && error.fields.length > 0) onRefused(error.fields);
    },
  });
  const { error } = mutation;
  return {
    submit: () => {
      if (!mutation.isPending) mutation.mutate();
    },
    isSubmitting: mutation.isPending,
    /** Problems that belong to no field. */
    error: error instanceof ApiError && error.fields.length > 0 ? null : error,
  };
}

/** The first field of the page with a problem gets the focus; "model_arguments.heads" belongs to model_arguments. */
export function focusFirst(problems: readonly string[], fields: readonly string[]): void {
  const inOrder = fields.flatMap((field) => problems.filter((name) => name === field || name.startsWith(`${field}.`)));
  if (inOrder[0]) document.querySelector<HTMLElement>(`[name="${inOrder[0]}"]`)?.focus();
}
