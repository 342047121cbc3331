import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { formChanges, type FormSearch } from "../../lib/formSearch";
import type { Form } from "../../lib/specForm";

const route = getRouteApi("/jobs/new");

/** A form whose difference from `start` is in the URL. */
export function useFormState<F extends Form<string>>(start: F, open: (search: FormSearch) => F) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [form, setForm] = useState<F>(() => open(search));
  const change = (values: Partial<F>): void => {
    const next = { ...form, ...values };
    setForm(next);
    const { from, kind } = search;
    const about = { ...(from && { from }), ...(kind && { kind }) };
    void navigate({ search: { ...about, ...formChanges(next, start) }, replace: true, resetScroll: false });
  };
  return { form, change };
}
