// Writes openapi.json from the server's own code, and from that the views of the command line and the TypeScript types.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const venv = at("../../.venv/bin/python");
const python = process.env.PYTHON ?? (existsSync(venv) ? venv : "python3");
const document = execFileSync(python, ["-m", "ringscope_server.openapi"], { encoding: "utf8" });
writeFileSync(at("../openapi.json"), document);
execFileSync(python, ["-m", "scripts.client_views"], { cwd: at("../.."), stdio: "inherit" });
execFileSync(
  process.execPath,
  [at("../node_modules/openapi-typescript/bin/cli.js"), at("../openapi.json"), "-o", at("../src/api/schema.ts")],
  { stdio: "inherit" },
);
