import { Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, memo, useMemo, useState } from "react";
import { meQuery } from "../../data/server";
import { Dialog } from "../../components/controls/Dialog";
import { FormFoot } from "../../components/controls/FormFoot";
import { REQUIRED } from "../../components/controls/required";
import { passesFocus } from "../../components/hooks/keepFocus";
import { useStored } from "../../components/hooks/useStored";
import type { JobsSearch } from "../../lib/search/search";
import { queryOf, searchOf, usualViews, type View, withView } from "../../lib/search/views";
import classes from "./JobsPage.module.css";

const NONE: readonly View[] = [];

/**
 * Views of the list as links, and a way to save the shown one; saved views are kept in this browser. Redrawn only
 * when `search` is another object.
 */
export const Views = memo(function Views({ search }: { search: JobsSearch }) {
  const me = useQuery(meQuery);
  const [kept, setKept] = useStored("ringscope-job-views", NONE);
  const [isNaming, setNaming] = useState(false);
  const here = queryOf(search);
  const user = me.data?.name;
  const usual = useMemo(() => usualViews(user), [user]);
  const isKnown = [...usual, ...kept].some(({ query }) => query === here);
  return (
    <nav aria-label="Views" className="spread">
      <ul className={classes.views}>
        {usual.map((view) => (
          <li key={view.name}>
            <ViewLink view={view} isHere={view.query === here} />
          </li>
        ))}
        {kept.map((view) => (
          <li key={`kept ${view.name}`}>
            <ViewLink view={view} isHere={view.query === here} />
            <button
              ref={passesFocus}
              type="button"
              className={classes.forget}
              aria-label={`Delete the view ${view.name}`}
              onClick={() => setKept(kept.filter(({ name }) => name !== view.name))}
            >
              ✕
            </button>
          </li>
        ))}
        {!isKnown && (
          <li>
            <Button onClick={() => setNaming(true)}>Save this view …</Button>
          </li>
        )}
      </ul>
      <Dialog title="Save this view" isOpen={isNaming} onClose={() => setNaming(false)}>
        <NameForm
          onCancel={() => setNaming(false)}
          onName={(name) => {
            setKept(withView(kept, { name, query: here }));
            setNaming(false);
          }}
        />
      </Dialog>
    </nav>
  );
});

function ViewLink({ view, isHere }: { view: View; isHere: boolean }) {
  return (
    <Link to="/jobs" search={searchOf(view)} preload={false} className={classes.view} {...(isHere && { "aria-current": "true" })}>
      {view.name}
    </Link>
  );
}

function NameForm({ onName, onCancel }: { onName: (name: string) => void; onCancel: () => void }) {
  const [name, setName] = useState("");
  const [error, setError] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() === "") setError("name: give the view a name.");
    else onName(name.trim());
  };
  return (
    <form onSubmit={submit} style={{ display: "grid", gap: 16 }}>
      <TextInput
        label="Name"
        description="Saved in this browser. The page’s address shows the same view to others."
        data-autofocus
        maxLength={40}
        {...REQUIRED}
        value={name}
        error={error}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <FormFoot submit="Save" onCancel={onCancel} />
    </form>
  );
}
