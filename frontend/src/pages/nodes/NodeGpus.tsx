import { useQuery } from "@tanstack/react-query";
import type { GpuState } from "../../api/types";
import { ScrollX } from "../../components/controls/ScrollX";
import { Loaded } from "../../components/states/Loaded";
import { nodeGpusQuery } from "../../data/nodes";
import { formatAgo, plural } from "../../lib/format";
import { formatSize } from "../../lib/size";

const SLOWED: Record<NonNullable<GpuState["slowed_by"]>[number], string> = {
  power_cap: "its power limit",
  hardware: "the hardware",
  sync_boost: "another GPU of its group",
  too_hot: "heat",
  hardware_too_hot: "heat (hardware)",
  power_brake: "a power brake",
};

/** What each GPU of the node does, and what is wrong with it. */
export function NodeGpus({ name }: { name: string }) {
  const query = useQuery(nodeGpusQuery(name));
  return (
    <section className="card" aria-labelledby="gpus">
      <div className="card-head">
        <h2 id="gpus">GPUs</h2>
        {query.data?.age_seconds != null && <p className="dim">read {formatAgo(query.data.age_seconds)}</p>}
      </div>
      <Loaded query={query} what="The GPUs could not be loaded" rows={4} isBare>
        {({ gpus }) => (gpus.length > 0 ? <GpuTable gpus={gpus} /> : <p className="card-body dim">The agent has not reported the state of the GPUs to this server yet.</p>)}
      </Loaded>
    </section>
  );
}

function GpuTable({ gpus }: { gpus: readonly GpuState[] }) {
  return (
    <ScrollX label="GPUs of the node">
      <table>
        <thead>
          <tr>
            <th scope="col">GPU</th>
            <th scope="col" className="number">Use</th>
            <th scope="col" className="number">Memory used</th>
            <th scope="col" className="number">Temperature</th>
            <th scope="col" className="number">Power</th>
            <th scope="col" className="number">Clock</th>
            <th scope="col">Clock lowered by</th>
            <th scope="col">Memory errors</th>
            <th scope="col">NVLinks</th>
            <th scope="col">XIDs</th>
          </tr>
        </thead>
        <tbody>
          {gpus.map((gpu) => (
            <tr key={gpu.index}>
              <th scope="row">{gpu.index}</th>
              <td className="number">{gpu.utilization_ratio == null ? "–" : `${Math.round(gpu.utilization_ratio * 100)} %`}</td>
              <td className="number">{gpu.memory_used_bytes == null ? "–" : formatSize(gpu.memory_used_bytes)}</td>
              <td className="number">{gpu.temperature_celsius == null ? "–" : `${gpu.temperature_celsius} °C`}</td>
              <td className="number">{ofMost(gpu.power_watts, gpu.power_limit_watts, "W")}</td>
              <td className="number">{ofMost(gpu.clock_mhz, gpu.most_clock_mhz, "MHz")}</td>
              <td>{slowedWords(gpu)}</td>
              <td>{memoryWords(gpu)}</td>
              <td>{linkWords(gpu)}</td>
              <td>{[...new Set(gpu.xids)].join(", ") || "none"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function ofMost(value: number | null | undefined, most: number | null | undefined, unit: string): string {
  if (value == null) return "–";
  return `${Math.round(value)}${most == null ? "" : ` of ${Math.round(most)}`} ${unit}`;
}

const NOT_REPORTED = "not reported";

function slowedWords({ slowed_by: reasons }: GpuState): string {
  return reasons == null ? NOT_REPORTED : reasons.map((reason) => SLOWED[reason]).join(", ") || "nothing";
}

/** Errors of its memory since the driver was loaded, and replaced rows. */
function memoryWords(gpu: GpuState): string {
  if (gpu.ecc_uncorrected == null && gpu.rows_remapped == null) return NOT_REPORTED;
  const words = [
    gpu.ecc_uncorrected && `${gpu.ecc_uncorrected} not corrected`,
    gpu.ecc_corrected && `${gpu.ecc_corrected} corrected`,
    gpu.rows_remapped && `${plural(gpu.rows_remapped, "row")} replaced`,
    gpu.is_remap_pending && "reset it to replace broken memory",
    gpu.has_remap_failed && "a row could not be replaced",
  ].filter(Boolean);
  return words.join(", ") || "none";
}

function linkWords(gpu: GpuState): string {
  if (gpu.nvlinks_up == null) return NOT_REPORTED;
  return `${gpu.nvlinks_up} active${gpu.nvlink_errors ? `, ${plural(gpu.nvlink_errors, "error")}` : ""}`;
}
