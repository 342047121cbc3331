import { Segments } from "../../components/Segments";
import classes from "./Results.module.css";
import { useView } from "./useView";

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
