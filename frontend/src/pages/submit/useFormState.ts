import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import { type Followed, followed, formChanges, type FormSearch, searchText } from "../../lib/form/formSearch";
import type { Form } from "../../lib/form/types";

const route = getRouteApi("/jobs/new");

/** The URL waits until the user stops typing: it draws the whole form a second time. */
const URL_WAITS_MS = 200;
const LEAVING = ["focusout", "submit"];

/**
 * A form whose difference from `start` is in the URL, with the fields of `always` in any case. It follows the URL
 * if that is changed elsewhere, for example by Back; `opening` counts how often that happened.
 */
export function useFormState<F extends Form<string>>(start: F, open: (search: FormSearch) => F, always: readonly string[] = []) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const router = useRouter();
  const at = searchText(search);
  const [state, setState] = useState<Followed<F> & { isTyped: boolean }>(() => ({ form: open(search), at, written: [], opening: 0, isTyped: false }));
  if (at !== state.at) {
    const next = followed(state, at, () => open(search));
    setState({ ...next, isTyped: state.isTyped && next.opening === state.opening });
  }
  const { form, opening, isTyped } = state;
  const write = useEffectEvent(() => {
    // A page that is about to open is not taken back.
    if (!isTyped || !router.latestLocation.pathname.endsWith(route.id)) return;
    const { from, kind } = search;
    const says = { ...(from && { from }), ...(kind && { kind }), ...formChanges(form, start, always) };
    setState({ ...state, written: [...state.written, searchText(says)], isTyped: false });
    void navigate({ search: says, replace: true, resetScroll: false });
  });
  useEffect(() => {
    if (!isTyped) return undefined;
    const timer = setTimeout(write, isInText() ? URL_WAITS_MS : 0);
    // Whoever leaves the field may follow a link, whose address is made of this one; whoever submits may come back to it.
    for (const event of LEAVING) addEventListener(event, write);
    return () => {
      clearTimeout(timer);
      for (const event of LEAVING) removeEventListener(event, write);
    };
  }, [form, isTyped]);
  const change = (values: Partial<F>): void => setState((now) => ({ ...now, form: { ...now.form, ...values }, isTyped: true }));
  return { form, change, opening };
}

/** Whether the user is in a field where the next key may follow at once. */
function isInText(): boolean {
  const { activeElement } = document;
  return activeElement instanceof HTMLTextAreaElement || (activeElement instanceof HTMLInputElement && activeElement.type === "text");
}
