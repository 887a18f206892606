import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// The output must be the same on every machine: names contain digests of contents,
// and nothing else about the build.
export default defineConfig({
  plugins: [svelte()],
  base: "./",
  build: { target: "es2022", outDir: "dist", emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false }, license: { fileName: "assets/licences.md" } },
});
