// Tests of the screens about methods. INROAD_PAGE is a service with a model "real" of a
// program of Go's standard library, a model "large" of 3,000 methods, and the models
// "first", "second" and "third" of one program.
import assert from "node:assert/strict";
import { inspect, open, test } from "./page.mjs";

const { INROAD_PAGE: url } = process.env;

const editor = (page) => page.locator(".cm-content");

async function type(page, text) {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

test("real program: explore", async (t) => {
  const page = await open(t, `${url}/#/models/real`);
  await page.getByText("Reaches").waitFor();
  await type(page, "x*(y+1)");
  await page.getByText(/Reaches \d+ of 1,\d+ methods\./).waitFor();
  await page.getByLabel("Filter methods").fill("binary");
  const item = page.getByRole("treeitem", { name: /\(\*Checker\)\.binary/ });
  await item.click();
  await page.getByRole("heading", { name: /^Why \(\*Checker\)\.binary\?/ }).waitFor();
  await inspect(page, "explore-real");
  await type(page, "1");
  await page.getByText("Not reached", { exact: true }).waitFor();
});

test("real program: methods, heat map, one method", async (t) => {
  const page = await open(t, `${url}/#/models/real/methods`);
  await page.getByRole("searchbox", { name: "Filter methods" }).fill("go/types/e"); // axe takes long with many cells
  await inspect(page, "methods-real");
  await page.getByRole("button", { name: "Heat map by file" }).click();
  const files = page.getByRole("region", { name: /^go\/types\/expr\.go$/ });
  await files.waitFor();
  const cell = files.getByRole("link", { name: /^\(\*Checker\)\.binary: reached/ });
  await inspect(page, "heat-map");
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("f1");
  await page.getByText("no score").waitFor();
  await cell.focus();
  assert.match(await page.locator(".current").textContent(), /^\(\*Checker\)\.binary: reached/);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), await cell.getAttribute("aria-label"));
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Decision tree" }).waitFor();
  await page.getByRole("button", { name: "Generate" }).click();
  await page.getByText("5 inputs.").waitFor();
  await inspect(page, "method-real");
});

test("real program: observations, models, comparison and campaigns", async (t) => {
  const { subject } = await (await fetch(`${url}/v1/models/real`)).json();
  const program = `${url}/#/programs/${encodeURIComponent(subject)}`;
  const page = await open(t, program);
  await page.getByText("200 observations").first().waitFor();
  await inspect(page, "program-real");
  await page.goto(`${program}/models`);
  await page.getByRole("link", { name: /^Changes of model/ }).click();
  await page.getByRole("heading", { name: /^(\d+|No) changed methods?$/ }).waitFor();
  await inspect(page, "compare-real");
  await page.goto(`${program}/campaigns`);
  await page.getByText("There are no campaigns.").waitFor();
});

test("real program: selection and coverage", async (t) => {
  const { methods } = await (await fetch(`${url}/v1/models/real/methods?contains=${encodeURIComponent("#(*Checker).binary")}`)).json();
  const { file, start } = methods[0];
  const page = await open(t, `${url}/#/models/real/selection`);
  await page.getByRole("textbox", { name: "Diff" }).fill(`--- a/${file}\n+++ b/${file}\n@@ -${start + 1} +${start + 1} @@\n-\ta\n+\tb\n`);
  await page.getByRole("combobox", { name: "Inputs of observations" }).selectOption({ index: 1 });
  await page.getByText(/inputs of observations of/).waitFor();
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByRole("heading", { name: /^\d+ of \d+ inputs selected$/ }).waitFor();
  await inspect(page, "selection-real");
  await page.goto(`${url}/#/grammars/expr`);
  await page.getByRole("combobox", { name: "Inputs of observations" }).selectOption({ index: 1 });
  await page.getByText("200 of 200 inputs parse.").waitFor();
  await inspect(page, "coverage-real");
});

test("heat map: a file opens its methods in the table", async (t) => {
  const page = await open(t, `${url}/#/models/third/methods`);
  await page.getByRole("button", { name: "Heat map by file" }).click();
  await page.getByRole("button", { name: "parse.go" }).click();
  await page.getByRole("table", { name: "Methods" }).waitFor();
  await page.getByText(/^9 methods$/).waitFor();
});

test("heat map: one stop of the tab key, and names with markup", async (t) => {
  const page = await open(t, `${url}/#/models/large/methods`);
  await page.getByRole("button", { name: "Heat map by file" }).click();
  await page.getByRole("button", { name: "file0.go" }).waitFor();
  assert.equal(await page.locator('a.cell[tabindex="0"]').count(), 1);
  await page.locator('a.cell[tabindex="0"]').focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator('a.cell[tabindex="0"]').count(), 1);
  await page.getByRole("searchbox", { name: "Filter methods" }).fill("onerror");
  await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).first().waitFor();
  assert.equal(await page.locator("img, main script, main b, main i").count(), 0);
});

test("history: a method in the models of its program", async (t) => {
  const page = await open(t, `${url}/#/models/third/methods/${encodeURIComponent("optimize.go#distributiveRule")}`);
  await page.getByRole("button", { name: "Show history" }).click();
  const rows = page.getByRole("region", { name: "Versions" }).getByRole("row");
  await rows.nth(3).waitFor();
  const conditions = await rows.evaluateAll((all) => all.slice(1).map((r) => (r.cells[4].querySelector("summary") ?? r.cells[4]).textContent.trim()));
  assert.deepEqual(conditions, ["changed", "method new", "method not known"]);
  assert.match(await rows.nth(1).textContent(), /11\s%/);
  await page.getByText("changed", { exact: true }).click();
  await page.getByText("they have").nth(1).waitFor();
  assert.equal(await page.getByRole("button", { name: "Show older models" }).count(), 0);
  await inspect(page, "history");
});

test("explore: the page answers while the prediction for an input of 100 kB is awaited", async (t) => {
  const page = await open(t, `${url}/#/models/third`);
  await page.getByText("Reaches").waitFor();
  const held = [];
  await page.route("**/predictions*", (route) => void held.push(route));
  await type(page, "x+y*z\n+".repeat(15_000) + "x");
  // The answers are withheld: typing, the filter and links work meanwhile.
  await page.getByLabel("Filter methods").fill("rule");
  await page.getByRole("treeitem", { name: "distributiveRule" }).or(page.getByText("No method matches.")).first().waitFor();
  await editor(page).press("Control+End");
  await page.keyboard.insertText("+1");
  await page.getByText("+1").last().waitFor();
  assert.ok(held.length > 0, "predictions were requested");
  await page.unroute("**/predictions*");
  for (const route of held) await route.continue().catch(() => {}); // requests for earlier inputs are gone
  await page.getByText(/Reaches \d+ of 24 methods\./).waitFor();
  await page.getByRole("link", { name: "Methods", exact: true }).click();
  await page.getByRole("table", { name: "Methods" }).waitFor();
});

test("methods: frames while 3,000 methods scroll", async (t) => {
  const page = await open(t, `${url}/#/models/large/methods`);
  const table = page.getByRole("table", { name: "Methods" });
  await table.waitFor();
  const frames = await table.evaluate(async (e) => {
    const times = [];
    let last = performance.now();
    for (let i = 0; i < 120; i++) {
      e.scrollTop += 400;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((a, b) => a - b);
  });
  t.diagnostic(`frames while scrolling: median ${frames[60].toFixed(0)} ms, 95 % ${frames[114].toFixed(0)} ms, longest ${frames[119].toFixed(0)} ms`);
  assert.ok((await table.evaluate((e) => e.scrollTop)) >= 40_000);
  assert.ok((await table.getByRole("row").count()) < 100);
});
