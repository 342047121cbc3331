/** What the planner's fields have in common. */
import type { PlanField, PlanForm, PlanSearch } from "../../lib/form/planForm";

export type PlanChange = (change: Partial<Record<keyof PlanSearch, string | undefined>>) => void;

export interface FieldProps {
  form: PlanForm;
  problems: Partial<Record<PlanField, string>>;
  /** The link between nodes, as the server understood it; undefined until it has answered. */
  links: { bytesPerS: number; latencyS: number } | undefined;
  /** Whether the links come from a job's rows. */
  isFitted: boolean;
  onChange: PlanChange;
}

/** The text of a field, its problem, and what to do with a new text. */
export function bound(form: PlanForm, problems: FieldProps["problems"], onChange: PlanChange) {
  return (field: PlanField) => ({
    value: form[field],
    error: problems[field],
    onCommit: (text: string) => onChange({ [field]: text }),
  });
}
