import { ScrollX } from "../../components/controls/ScrollX";
import { aligned } from "./column";
import type { PriceColumns } from "../../lib/planGrid";
import { formatSize } from "../../lib/size";

interface Props {
  label: string;
  model: PriceColumns;
  measured: PriceColumns | undefined;
  x: "size" | "ranks";
  unit: string;
}

/** A chart of prices as numbers; measured columns are beside those of the model. */
export function PriceColumnsTable({ label, model, measured, x, unit }: Props) {
  const places = [...new Set([...model.x, ...(measured?.x ?? [])])].sort((a, b) => a - b);
  const columns = [
    ...model.lines.map((line) => ({ name: line.algorithm, of: model, line })),
    ...(measured?.lines ?? []).map((line) => ({ name: `${line.algorithm}, measured`, of: measured ?? model, line })),
  ].map(({ name, of, line }) => ({ name, texts: aligned(places.map((place) => line.values[of.x.indexOf(place)])) }));
  return (
    <ScrollX label={label}>
      <table>
        <caption className="hidden-visually">{label}</caption>
        <thead>
          <tr>
            <th scope="col" className="number">{x === "size" ? "Size" : "Ranks"}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col" className="number">
                {name} ({unit})
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((place, i) => (
            <tr key={place}>
              <th scope="row" className="number">{x === "size" ? formatSize(place) : place}</th>
              {columns.map(({ name, texts }) => (
                <td key={name} className="number">{texts[i]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}
