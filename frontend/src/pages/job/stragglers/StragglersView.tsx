import { Segments } from "../../../components/controls/Segments";
import classes from "../results/Results.module.css";
import { useView } from "../useView";

/** Strips, or their numbers. */
export function StragglersView() {
  const [search, set] = useView();
  return (
    <div className={classes.controls}>
      <Segments
        label="View"
        value={search.view ?? "chart"}
        options={[["chart", "strips"], ["table", "table"]]}
        onChange={(view) => set({ view: view === "chart" ? undefined : view })}
      />
    </div>
  );
}
