import { Button } from "@mantine/core";
import { useState } from "react";
import { perfettoOf } from "../../data/planning";
import type { ExampleQuestion } from "../../api/types";
import { ErrorNote } from "../../components/states/ErrorNote";
import { download } from "../../lib/download";

/** Saves a worked example as a file for Perfetto, which the server makes from the question. */
export function SaveExample({ question, name }: { question: ExampleQuestion; name: string }) {
  const [failure, setFailure] = useState<Error | null>(null);
  const save = (): void => {
    perfettoOf(question).then(
      (text) => {
        setFailure(null);
        download(`${name}.json`, text, "application/json");
      },
      (error: unknown) => setFailure(error instanceof Error ? error : new Error(String(error))),
    );
  };
  return (
    <>
      <Button onClick={save}>Save for Perfetto</Button>
      {failure && <ErrorNote what="The file could not be made" error={failure} />}
    </>
  );
}
