import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { precompress } from "./precompress.ts";
import { skeletonFirst } from "./skeletonFirst.ts";

const server = process.env.RINGSCOPE_URL ?? "http://127.0.0.1:8000";

export default defineConfig({
  base: "/",
  plugins: [react(), skeletonFirst(), precompress()],
  build: { target: "es2022" },
  server: { proxy: { "/api": server } },
  test: { include: ["src/**/*.test.{ts,tsx}"] },
});
