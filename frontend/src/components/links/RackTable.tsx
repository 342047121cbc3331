import type { RackLinkView } from "../../api/types";
import { ScrollX } from "../controls/ScrollX";
import { formatAgo, plural, secondsBetween, threeDigits } from "../../lib/format";
import { cellClass, Head, MOST_WITH_FIGURES, moveFocus, shade } from "./LinkTable";
import classes from "./LinkTable.module.css";
import { isRackSlow, type Racks, rackWord } from "./racks";

interface Props {
  found: Racks;
  onOpen: (a: string, b: string) => void;
}

/** A cell for each two racks, with the slowest direction between them. */
export function RackTable({ found, onOpen }: Props) {
  const { names, at, most } = found;
  const now = new Date().toISOString();
  return (
    <ScrollX label="Slowest link between racks in GB/s" isTall={names.length > MOST_WITH_FIGURES && "page"}>
      <table className={classes.matrix}>
        <Head corner="GB/s" names={names.map(rackWord)} racks={new Map()} />
        <tbody>
          {names.map((row) => (
            <tr key={row}>
              <th scope="row">{rackWord(row)}</th>
              {names.map((column) => {
                const link = at(row, column);
                if (!link) return <td key={column} className="number dim">–</td>;
                const slow = isRackSlow(link, found);
                const figure = threeDigits(link.slowest_gb_per_s);
                return (
                  <td key={column} className="number" data-slow={slow || undefined} style={slow ? undefined : { background: shade(link.slowest_gb_per_s, most) }}>
                    <button
                      type="button" className={cellClass} title={words(link, now)} onKeyDown={moveFocus} onClick={() => onOpen(row, column)}
                      aria-label={`${measuredWords(link)}, the slowest ${figure} GB/s${slow ? ", slow" : ""}`}
                    >
                      {slow && "▾"}
                      {figure}
                    </button>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

function measuredWords({ racks: [a, b], measured, pairs }: RackLinkView): string {
  const [first, second] = [rackWord(a ?? ""), rackWord(b ?? "")];
  return `${first === second ? `within ${first}` : `between ${first} and ${second}`}: ${measured.toLocaleString("en")} of ${plural(pairs, "link")} measured`;
}

/** "between r1 and r2: 4 of 4 links measured, slowest n1 to n3 with 0.98 to 1.02 GB/s, median 2.00 GB/s, the newest 3 h ago". */
function words(link: RackLinkView, now: string): string {
  const interval = `${threeDigits(link.slowest_low_gb_per_s)} to ${threeDigits(link.slowest_high_gb_per_s)}`;
  const age = formatAgo(secondsBetween(link.newest_at, now));
  return `${measuredWords(link)}, slowest ${link.slowest_nodes.join(" to ")} with ${interval} GB/s, median ${threeDigits(link.median_gb_per_s)} GB/s, the newest ${age}`;
}
