import type { ExplainedFile } from "../../api/types";
import { ScrollX } from "../../components/controls/ScrollX";
import { plural } from "../../lib/format";
import classes from "./Diagnose.module.css";

/** More files than this are listed on request only; those that are refused always are. */
const MOST_OPEN = 6;

/** What each file is; the reasons of those that are in no part come first. */
export function FileList({ files }: { files: readonly ExplainedFile[] }) {
  const refused = files.filter((file) => file.refused !== null);
  const read = files.filter((file) => file.refused === null);
  return (
    <section className="card" aria-label="What the files are">
      {refused.length > 0 && (
        <ul role="alert" className={classes.refused}>
          {refused.map((file, i) => (
            <li key={`${i}/${file.name}`}>
              <strong>{file.name}</strong>
              {file.what && ` (${file.what})`}: {file.refused}
            </li>
          ))}
        </ul>
      )}
      {read.length > MOST_OPEN ? (
        <details className={classes.files}>
          <summary>{plural(read.length, "file")} read</summary>
          <Files files={read} />
        </details>
      ) : (
        read.length > 0 && <Files files={read} />
      )}
    </section>
  );
}

function Files({ files }: { files: readonly ExplainedFile[] }) {
  return (
    <ScrollX label="Files and their kinds" isTall>
      <table>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">What it is</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file, i) => (
            <tr key={`${i}/${file.name}`}>
              <th scope="row" className={`mono ${classes.name}`}>{file.name}</th>
              <td>{file.what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
