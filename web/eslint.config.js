// The rules for the web app in src/firstmover/service/page: ESLint's recommended set and a few that prevent slips.
import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["**/vendor/**"] },
  js.configs.recommended,
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-implicit-coercion": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
  { files: ["**/theme.js"], languageOptions: { sourceType: "script" } },
];
