/** What is read in files of other tools, with facts to correct; then it is stored as jobs. */
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import type { Collective, ImportQuestion } from "../../api/types";
import { chooseFiles } from "./files";
import { buttonsClass, Dialog } from "../controls/Dialog";
import { ErrorNote } from "../states/ErrorNote";
import { Skeleton } from "../states/Skeleton";
import { COLLECTIVES } from "../../lib/collectives";
import { plural } from "../../lib/format";
import { PreviewedFile } from "./PreviewedFile";
import { type Facts, questionOf } from "./facts";
import { previewQuery, storeImports } from "./requests";
import classes from "./Import.module.css";

const MOST_BYTES = 8 * 2 ** 20;
const NO_FACTS: Facts = { gpu: "", nodes: "", ranks: "", cards: "", collective: "" };
let choices = 0;

interface Props {
  files: readonly File[];
  onClose: () => void;
}

export function ImportDialog({ files, onClose }: Props) {
  const [texts, setTexts] = useState<ImportQuestion["files"] | null>(null);
  const tooLarge = files.find(({ size }) => size > MOST_BYTES);
  const [at] = useState(() => (choices += 1));
  const binary = texts?.find(({ content }) => content.includes("\0"));
  useEffect(() => {
    if (tooLarge) return undefined;
    let isLatest = true;
    void Promise.all(files.map(async (file) => ({ name: file.name, content: await file.text() }))).then((read) => {
      if (isLatest) setTexts(read);
    });
    return () => {
      isLatest = false;
    };
  }, [files, tooLarge]);
  return (
    <Dialog title={`Import ${plural(files.length, "file")}`} isOpen onClose={onClose} isWide>
      {tooLarge ? (
        <>
          <p role="alert">{tooLarge.name} has more than 8 MiB; cut it to the tables.</p>
          <Elsewhere files={files} onClose={onClose} />
        </>
      ) : binary ? (
        <>
          <p role="alert">{binary.name} is no text, and so no result.</p>
          <Elsewhere files={files} onClose={onClose} />
        </>
      ) : texts ? (
        <Preview at={at} files={texts} onClose={onClose}>
          <Elsewhere files={files} onClose={onClose} />
        </Preview>
      ) : (
        <Skeleton rows={8} isBare />
      )}
    </Dialog>
  );
}

/** The way for files that are no results: dumps, logs of NCCL and so on. */
function Elsewhere({ files, onClose }: Props) {
  const navigate = useNavigate();
  const diagnose = () => {
    chooseFiles(files);
    onClose();
    void navigate({ to: "/diagnose" });
  };
  return (
    <p>
      What is not a result, such as a log of NCCL or a dump of PyTorch&rsquo;s Flight Recorder, is explained by the page Diagnose:{" "}
      <Button onClick={diagnose}>Diagnose {files.length === 1 ? "this file" : "these files"}</Button>
    </p>
  );
}

interface PreviewProps {
  at: number;
  files: ImportQuestion["files"];
  onClose: () => void;
  /** Shown if a file is refused. */
  children: ReactNode;
}

function Preview({ at, files, onClose, children }: PreviewProps) {
  const [facts, setFacts] = useState(NO_FACTS);
  const settled = useSettled(useDeferredValue(facts));
  const question = useMemo(() => questionOf(files, settled), [files, settled]);
  const preview = useQuery(previewQuery(at, question));
  const client = useQueryClient();
  const navigate = useNavigate();
  const store = useMutation({
    mutationFn: () => storeImports(questionOf(files, facts)),
    onSuccess: (stored) => {
      void client.invalidateQueries({ queryKey: ["jobs"] });
      const [first, ...others] = stored.files.flatMap((file) => file.jobs.map(({ job }) => job.id));
      onClose();
      if (first !== undefined && others.length === 0) void navigate({ to: "/jobs/$jobId", params: { jobId: first } });
    },
  });
  const refused = preview.data?.some((file) => file.refused != null || file.runs.some((run) => run.refused != null)) ?? true;
  const tables = preview.data?.reduce((sum, file) => sum + file.runs.length, 0) ?? 0;
  return (
    <>
      <div className={classes.facts} role="group" aria-label="Facts that the files do not state, or that are to be corrected">
        <Fact label="GPU" placeholder="H100" value={facts.gpu} onChange={(gpu) => setFacts({ ...facts, gpu })} />
        <Fact label="Nodes" placeholder="2" value={facts.nodes} onChange={(nodes) => setFacts({ ...facts, nodes })} />
        <Fact label="Ranks" placeholder="16" value={facts.ranks} onChange={(ranks) => setFacts({ ...facts, ranks })} />
        <Fact label="Cards of a node" placeholder="8x400G" value={facts.cards} onChange={(cards) => setFacts({ ...facts, cards })} />
        <NativeSelect
          label="Collective"
          value={facts.collective}
          onChange={({ currentTarget }) => setFacts({ ...facts, collective: currentTarget.value as Collective | "" })}
          data={[{ value: "", label: "as in the file" }, ...Object.entries(COLLECTIVES).map(([value, { name }]) => ({ value, label: name }))]}
        />
      </div>
      {preview.error && <ErrorNote what="The files were not read" error={withFields(preview.error)} />}
      {preview.isPending && !preview.error && <Skeleton rows={8} isBare />}
      <div className={classes.files} aria-busy={preview.isFetching}>
        {preview.data?.map((file, i) => <PreviewedFile key={`${i}/${file.path}`} file={file} />)}
      </div>
      {store.error && <ErrorNote what="Nothing was stored" error={withFields(store.error)} />}
      <div className={buttonsClass}>
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="filled" disabled={refused || tables === 0} aria-busy={store.isPending} onClick={() => !store.isPending && store.mutate()}>
          Save {plural(tables, "job")}
        </Button>
      </div>
      {preview.data && refused && <p className="dim">Either all tables are stored or none: remove what is refused from the files.</p>}
      {(preview.error || preview.data?.some((file) => file.refused != null)) && children}
    </>
  );
}

interface FactProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

function Fact({ label, placeholder, value, onChange }: FactProps) {
  return <TextInput label={label} placeholder={placeholder} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}

const SETTLED_MS = 250;

/** A value once it has stayed the same for a moment, so that not each letter is a request. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return undefined;
    }
    const timer = window.setTimeout(() => setSettled(value), SETTLED_MS);
    return () => window.clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The server's sentences on the fields, as no field of the page belongs to them. */
function withFields(error: Error): Error {
  const details = error instanceof ApiError ? error.fields.map(({ detail }) => detail) : [];
  return details.length > 0 ? new Error(details.join(" ")) : error;
}
