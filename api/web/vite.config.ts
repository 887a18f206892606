import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type BuildEnvironmentOptions } from "vite";

// The output must be the same on every machine: names contain digests of contents,
// and nothing else about the build.
const common: BuildEnvironmentOptions = { target: "es2022", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } };

const page: BuildEnvironmentOptions = { ...common, outDir: "dist", license: { fileName: "assets/licences.md" } };

// inroad report writes these files into its output.
const report: BuildEnvironmentOptions = {
  ...common,
  outDir: "dist/report",
  license: { fileName: "licences.md" },
  rolldownOptions: { input: "src/report/main.ts", output: { entryFileNames: "report.js", assetFileNames: "report[extname]", codeSplitting: false } },
};

export default defineConfig(({ mode }) => ({ plugins: [svelte()], base: "./", build: mode === "report" ? report : page }));
