import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

// A folder stands above all that it imports; pages know neither the app nor each other.
const LAYERS = ["api", "lib", "data", "charts", "components", "pages", "app"];
const ABOVE = LAYERS.map((layer, place) => ({
  files: [`src/${layer}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          ...LAYERS.slice(place + 1).map((above) => ({
            regex: `^(\\.\\./)+${above}/`,
            message: `${layer}/ is below ${above}/ (ARCHITECTURE.md).`,
          })),
        ],
      },
    ],
  },
}));
const LAZY = { name: "react", importNames: ["lazy"], message: "Use lazyPart of components/lazyPart.ts, which waits for the server." };
// A page is a folder below pages/, which may have folders of its own: what leads out of it leads to no other page.
const PAGES = [1, 2].map((depth) => ({
  files: [`src/pages/${"*/".repeat(depth)}*`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        paths: [LAZY],
        patterns: [
          { regex: "^(\\.\\./)+app/", message: "pages/ is below app/ (ARCHITECTURE.md)." },
          { regex: `^(\\.\\./){${depth}}(?!\\.\\./)`, message: "Pages do not know each other." },
        ],
      },
    ],
  },
}));

// The other rules run React's compiler on each file, which takes three times as long as everything else.
const HOOKS = {
  plugins: { "react-hooks": reactHooks },
  rules: { "react-hooks/rules-of-hooks": "error", "react-hooks/exhaustive-deps": "warn" },
};

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.ts"] },
  js.configs.recommended,
  tseslint.configs.strict,
  jsxA11y.flatConfigs.strict,
  process.env.COMPILER_RULES === "off" ? HOOKS : reactHooks.configs.flat["recommended-latest"],
  { files: ["scripts/**", "eslint.config.js"], languageOptions: { globals: { process: "readonly", URL: "readonly" } } },
  ...ABOVE,
  ...PAGES,
  {
    files: ["public/**"],
    languageOptions: { globals: { document: "readonly", localStorage: "readonly", matchMedia: "readonly" } },
  },
);
