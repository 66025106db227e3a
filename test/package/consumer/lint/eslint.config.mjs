import tseslint from "typescript-eslint";

// biome-ignore lint/style/noDefaultExport: eslint wants it.
export default tseslint.config(tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
});
