import { TextField } from "../../../components/controls/fields";
import { SimulatedBadge } from "../../../components/marks/SimulatedBadge";
import type { Field } from "../../../lib/form/form";
import type { Bind } from "../bind";
import classes from "../SubmitPage.module.css";

/** The cluster of a simulation; shown for transport simulated only. */
export function SimulatedCluster({ links, bind }: { links: readonly string[]; bind: Bind<Field> }) {
  return (
    <section aria-labelledby="cluster" className={classes.group}>
      <h2 id="cluster">
        Simulated cluster <SimulatedBadge />
      </h2>
      <p className="dim">A simulation takes one process and one slot. Its times come from the cost model; nothing is measured.</p>
      <datalist id="links">
        {links.map((link) => (
          <option key={link} value={link} />
        ))}
      </datalist>
      <div className={classes.row}>
        <TextField description="16, 4x8 or racks: 2x4x8" {...bind("shape")} />
        <TextField description="ib200, 10gbe … or 25GB/s" list="links" {...bind("link")} />
        <TextField description="nvlink4 … or 450GB/s" list="links" {...bind("intra")} />
      </div>
      <div className={classes.row}>
        <TextField description="Delay between nodes; empty: the link's" inputMode="decimal" {...bind("latency")} />
        <TextField description="How many in each node; empty: one per rank" inputMode="numeric" {...bind("nics")} />
        <TextField description="Number of rings or trees; empty: one per card" inputMode="numeric" {...bind("channels")} />
        <TextField description="Hosts' bandwidth / their rack's uplink" inputMode="decimal" {...bind("oversubscription")} />
        <TextField description="Speed of one rank; empty: takes no time" inputMode="decimal" {...bind("adding")} />
      </div>
    </section>
  );
}
