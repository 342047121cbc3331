import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "src/api/schema.ts"] },
  js.configs.recommended,
  tseslint.configs.strict,
  jsxA11y.flatConfigs.strict,
  reactHooks.configs.flat["recommended-latest"],
  { files: ["scripts/**"], languageOptions: { globals: { process: "readonly", URL: "readonly" } } },
  {
    files: ["public/**"],
    languageOptions: { globals: { document: "readonly", localStorage: "readonly", matchMedia: "readonly" } },
  },
);
