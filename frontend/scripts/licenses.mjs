// Writes dist/licenses.txt: the licence of each package that the page is made of. Their authors ask that it goes along.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));
const parts = [];
for (const [folder, found] of Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))) {
  if (!folder || found.dev || found.optional) {
    continue;
  }
  const name = folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => /^(licen[cs]e|notice)/i.test(file)) : [];
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  parts.push([`${name} ${found.version}: ${found.license ?? "see its package"}`, ...texts].join("\n\n"));
}
writeFileSync("dist/licenses.txt", `${parts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
