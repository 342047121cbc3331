import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { api, unwrap } from "../../api/client";
import type { NodeView } from "../../api/types";
import { ErrorNote } from "../../components/states/ErrorNote";
import { Properties } from "../../components/Properties";
import { labelChanges } from "../../lib/nodes";
import classes from "./NodesPage.module.css";
import { useNodeChange } from "../../components/hooks/useNodeChange";

/** A node's labels, by which jobs choose it, and a line to change them. */
export function Labels({ node, mayChange }: { node: NodeView; mayChange: boolean }) {
  const labels = Object.entries(node.labels).map(([key, value]): [string, string] => [
    key,
    key in node.label_overrides ? `${value} (set by a person)` : value,
  ]);
  return (
    <section className="card" aria-labelledby="labels">
      <div className="card-head">
        <h2 id="labels">Labels</h2>
      </div>
      <div className="card-body">
        {labels.length > 0 ? <Properties items={labels} /> : <p className="dim">The node has no labels. Jobs choose nodes by labels.</p>}
        {mayChange && <Change node={node} />}
      </div>
    </section>
  );
}

function Change({ node }: { node: NodeView }) {
  const [text, setText] = useState("");
  const [sentence, setSentence] = useState<string | null>(null);
  const change = useNodeChange(
    async (labels: Record<string, string | null>): Promise<NodeView> =>
      unwrap(await api.PATCH("/api/v1/nodes/{name}", { params: { path: { name: node.name } }, body: { labels } })),
    () => setText(""),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    try {
      change.mutate(labelChanges(text));
      setSentence(null);
    } catch (error) {
      setSentence((error as Error).message);
    }
  };
  return (
    <form className={classes.inline} onSubmit={submit}>
      <TextInput
        label="Change labels"
        description="key=value sets a label, key- removes it"
        placeholder="rack=r1 zone-"
        value={text}
        error={sentence}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" aria-busy={change.isPending}>
        Change
      </Button>
      {change.error && <ErrorNote what="The labels were not changed" error={change.error} />}
    </form>
  );
}
