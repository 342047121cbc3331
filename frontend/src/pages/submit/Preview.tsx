import type { ReactNode } from "react";
import type { JobSpec } from "../../api/types";
import { Command } from "../../components/Command";
import { submitCommand } from "../../lib/command";
import { plural } from "../../lib/format";
import { countRows, isSimulation, type JobForm, toSpec } from "../../lib/form";
import classes from "./SubmitPage.module.css";

/** What the sweep will be, the button, and the same for a terminal. */
export function Preview({ form, base, children }: { form: JobForm; base?: JobSpec; children: ReactNode }) {
  const count = countRows(form);
  return (
    <aside className={`card ${classes.preview}`} aria-label="What will run">
      <div aria-live="polite">
        {count ? (
          <>
            <p className={classes.rows}>{plural(count.rows, "row")}</p>
            <p className="dim">
              {count.cycles > 1 && <>{plural(count.cycles, "cycle")} × </>}
              {plural(count.sizes, "size")} × {plural(count.algorithms, "algorithm")} × out of place and in place,{" "}
              {isSimulation(form) ? "in the cost model's time; nothing is measured" : `${form.iterations || "?"} timed iterations each`}
            </p>
          </>
        ) : (
          <p className="dim">These fields make no sweep yet.</p>
        )}
      </div>
      {children}
      {count && (
        <div className={classes.command}>
          <p className="dim">The same in a terminal</p>
          <Command text={submitCommand(toSpec(form, base))} />
        </div>
      )}
    </aside>
  );
}
