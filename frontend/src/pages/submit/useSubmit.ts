import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { api, ApiError, randomKey, unwrap } from "../../api/client";
import type { JobSpec } from "../../api/types";
import { FIELDS, type JobForm, problemsByField, toSpec } from "../../lib/form";

/**
 * Posts the form and goes to the new job. The same content keeps its idempotency key, so that pressing twice, or
 * again after a lost answer, makes one job. After a refusal the first field with a sentence gets the focus.
 */
export function useSubmit(form: JobForm, base?: JobSpec) {
  const navigate = useNavigate();
  const sent = useRef({ content: "", key: "" });
  const mutation = useMutation({
    mutationFn: async () => {
      const spec = toSpec(form, base);
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
  useEffect(() => {
    if (error instanceof ApiError) focusFirst(error);
  }, [error]);
  return {
    submit: () => {
      if (!mutation.isPending) mutation.mutate();
    },
    isSubmitting: mutation.isPending,
    error: error instanceof ApiError || error === null ? error : new ApiError(0, "", error.message, []),
  };
}

function focusFirst(error: ApiError): void {
  const { fields } = problemsByField(error.fields);
  const first = FIELDS.find((field) => fields[field] !== undefined);
  if (first) document.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
}
