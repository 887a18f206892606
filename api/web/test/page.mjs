// Shared by the tests of the page. INROAD_SCREENSHOTS is a folder for pictures of all
// screens, if it is set.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test as declare } from "node:test";
import { chromium } from "playwright-core";

const { INROAD_SCREENSHOTS: pictures, CHROMIUM: executablePath } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const test = (name, body) => declare(name, { timeout: 180_000 }, body);

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] }); // tests often run as root, where there is no sandbox
});
after(() => browser?.close());

// open opens a screen. Its test fails if the page reports an error, or violates its policy, before the page is closed.
export async function open(t, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const errors = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && errors.push(m.text()));
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("dialog", (d) => (errors.push("dialog: " + d.message()), d.dismiss()));
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors.filter((e) => !options.expected?.test(e)), []);
  });
  await page.goto(address);
  return page;
}

// inspect checks a screen in both themes and at two widths, and takes pictures.
export async function inspect(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 400]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const at = `${name}-${colorScheme}-${width}`;
      if (pictures) await page.screenshot({ path: `${pictures}/${at}.png`, fullPage: true });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${at}: the page is wider than the window`);
      if ((colorScheme === "light") !== (width === 1280)) continue; // axe takes long, and sees each theme and each width once
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(
        violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).slice(0, 3).join(" ")}`),
        [],
        at,
      );
    }
  }
}
