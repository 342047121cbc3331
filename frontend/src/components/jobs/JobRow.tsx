import { memo } from "react";
import type { JobView } from "../../api/types";
import type { Column } from "./columns";
import classes from "./JobsTable.module.css";

interface Props {
  job: JobView;
  columns: readonly Column[];
  /** Its index in the list, from 0; pinned rows come before, the last of them at -1. */
  index: number;
  isBase?: boolean;
  /** Undefined: rows cannot be chosen. */
  isChosen?: boolean | undefined;
  /** The same function from one drawing to the next, as rows are redrawn only when their props change. */
  onToggle?: ((id: number) => void) | undefined;
}

export const JobRow = memo(function JobRow(props: Props) {
  const { job, columns, index, isBase = false, isChosen, onToggle } = props;
  const isPinned = index < 0;
  return (
    <tr data-index={index} {...(!isPinned && { "aria-rowindex": index + 2 })}>
      {onToggle && (
        <td>
          <input
            type="checkbox"
            className={classes.chooser}
            aria-label={`Choose job ${job.id}`}
            checked={isChosen ?? false}
            onChange={() => onToggle(job.id)}
          />
        </td>
      )}
      {columns.map(({ name, isNumber, className, title, content }) => {
        const cell = {
          className: isNumber ? `number ${className ?? ""}` : className,
          title: title?.(job),
          children: content(job, { isPinned, isBase }),
        };
        return name === "name" ? <th key={name} scope="row" {...cell} /> : <td key={name} {...cell} />;
      })}
    </tr>
  );
});
