// Writes openapi.json from the server's own code, and the TypeScript types from that.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const venv = at("../../.venv/bin/python");
const python = process.env.PYTHON ?? (existsSync(venv) ? venv : "python3");
const document = execFileSync(python, ["-m", "ringscope_server.openapi"], { encoding: "utf8" });
writeFileSync(at("../openapi.json"), document);
execFileSync(
  process.execPath,
  [at("../node_modules/openapi-typescript/bin/cli.js"), at("../openapi.json"), "-o", at("../src/api/schema.ts")],
  { stdio: "inherit" },
);
