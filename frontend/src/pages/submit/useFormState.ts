import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Followed, followed, formChanges, type FormSearch, searchText } from "../../lib/form/formSearch";
import type { Form } from "../../lib/form/types";

const route = getRouteApi("/jobs/new");

/**
 * A form whose difference from `start` is in the URL, with the fields of `always` in any case. It follows the URL
 * if that is changed elsewhere, for example by Back; `opening` counts how often that happened.
 */
export function useFormState<F extends Form<string>>(start: F, open: (search: FormSearch) => F, always: readonly string[] = []) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const at = searchText(search);
  const [state, setState] = useState<Followed<F>>(() => ({ form: open(search), at, written: [], opening: 0 }));
  if (at !== state.at) setState(followed(state, at, () => open(search)));
  const { form, written, opening } = state;
  const change = (values: Partial<F>): void => {
    const next = { ...form, ...values };
    const { from, kind } = search;
    const about = { ...(from && { from }), ...(kind && { kind }) };
    const says = { ...about, ...formChanges(next, start, always) };
    setState({ ...state, form: next, written: [...written, searchText(says)] });
    void navigate({ search: says, replace: true, resetScroll: false });
  };
  return { form, change, opening };
}
