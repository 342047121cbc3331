import { readFileSync, readdirSync } from "node:fs";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { precompress } from "./precompress.ts";
import { skeletonFirst } from "./skeletonFirst.ts";

const server = process.env.RINGSCOPE_URL ?? "http://127.0.0.1:8000";

// A test with a document says so in its first line. Its files load the page's own modules anew, as some keep what the page
// is at, and share what node_modules has loaded; pure ones share both. That saves three quarters of their time.
const tests = readdirSync(`${import.meta.dirname}/src`, { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => /\.test\.tsx?$/.test(path));
const hasDocument = (path: string) =>
  readFileSync(`${import.meta.dirname}/${path}`, "utf8").startsWith("// @vitest-environment jsdom");

export default defineConfig({
  base: "./", // one build serves any path: scripts find each other, and the server writes the path into index.html
  plugins: [react(), skeletonFirst(), precompress()],
  build: {
    target: "es2022",
    // A page names a hundred files: with hashes of 7 characters, the fewest that are allowed, and not 8 it is smaller.
    rolldownOptions: { output: { chunkFileNames: "assets/[name]-[hash:7].js", assetFileNames: "assets/[name]-[hash:7][extname]" } },
  },
  server: { proxy: { "/api": server } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "document",
          include: tests.filter(hasDocument),
          isolate: false,
          setupFiles: ["src/testing/freshModules.ts"],
        },
      },
      { extends: true, test: { name: "pure", include: tests.filter((path) => !hasDocument(path)), isolate: false } },
    ],
  },
});
