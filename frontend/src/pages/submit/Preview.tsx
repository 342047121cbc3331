import { plural } from "../../lib/format";
import { countRows, isSimulation, type JobForm } from "../../lib/form/form";
import classes from "./SubmitPage.module.css";

/** The sweep in a few words. */
export function Preview({ form }: { form: JobForm }) {
  const count = countRows(form);
  if (!count) return <p className="dim">These fields do not describe a sweep yet.</p>;
  return (
    <>
      <p className={classes.rows}>{plural(count.rows, "row")}</p>
      <p className="dim">
        {count.cycles > 1 && <>{plural(count.cycles, "cycle")} × </>}
        {plural(count.sizes, "size")} × {plural(count.algorithms, "algorithm")} × out of place and in place,{" "}
        {isSimulation(form) ? "in the cost model's time; nothing is measured" : `${form.iterations || "?"} timed iterations each`}
      </p>
    </>
  );
}
