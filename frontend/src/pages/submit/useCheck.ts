import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { FieldProblem } from "../../api/client";
import { type JobCheck, jobCheckQuery, TYPING_MS } from "../../data/prediction";
import type { JobSpec } from "../../api/types";

const UNKNOWN: JobCheck = { plan: null, problems: [] };

interface Checked {
  /** The check of the form a moment ago; null while none is known. */
  check: JobCheck | null;
  /** The server's answer when this was submitted. */
  onRefused: (problems: readonly FieldProblem[]) => void;
}

/** The server's check of a form, requested while typing; not for a form that cannot be read. */
export function useCheck(spec: JobSpec, isReadable: boolean): Checked {
  const client = useQueryClient();
  const [asked] = useDebouncedValue(JSON.stringify(spec), TYPING_MS);
  const settled = useMemo(() => JSON.parse(asked) as JobSpec, [asked]);
  const { data, isError } = useQuery({ ...jobCheckQuery(settled), enabled: isReadable });
  return {
    check: isReadable ? (data ?? (isError ? UNKNOWN : null)) : null,
    onRefused: (problems) => client.setQueryData<JobCheck>(jobCheckQuery(spec).queryKey, { plan: null, problems }),
  };
}
