// Tests of the screens of programs. The Go test in programs_test.go starts the services and
// sets the variables: INROAD_PAGE is a service with the observations and the model of the
// demo, and with a program whose name is markup; INROAD_PAGE_MANY one with 101 programs
// that does not run its jobs; INROAD_PAGE_LOCKED one that requires a key, INROAD_PAGE_READ
// or INROAD_PAGE_WRITE.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inspect, open, test } from "./page.mjs";

const { INROAD_PAGE: url, INROAD_PAGE_MANY: many, INROAD_PAGE_LOCKED: locked, INROAD_PAGE_READ: read, INROAD_PAGE_WRITE: write } = process.env;
const markup = "<img src=x onerror=alert(1)>";
const failing = `${url}/#/programs/${encodeURIComponent(markup + "\u202e")}`;

test("programs: the demo", async (t) => {
  const page = await open(t, url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Programs" }).click();
  await page.getByText("1,026 observations of 2 commits").waitFor();
  await page.getByText("1,000 ok").first().waitFor();
  await inspect(page, "programs");
  await page.getByRole("heading", { name: "calc" }).getByRole("link").click();
  const row = page.getByRole("row", { name: "(no commit)" });
  await row.waitFor();
  assert.deepEqual((await row.getByRole("cell").allTextContents()).slice(0, 4).map((c) => c.trim()), ["1,000", "1,000 ok", "0", "24"]);
  await page.getByText("No failures in 1,000 observations.").waitFor();
  await inspect(page, "program");
  await page.getByRole("combobox", { name: "Commit" }).selectOption("broken");
  await page.getByText("5 distinct failures in 26 observations.").waitFor();
  await page.getByRole("button", { name: "Open in Explore input 1" }).click();
  await page.getByText("Unexpected end of the input").waitFor();
  assert.match(await page.locator(".cm-content").textContent(), /^x\*\(y\s*$/);
});

test("programs: pages of programs", async (t) => {
  const page = await open(t, `${many}/#/programs`);
  await page.getByRole("heading", { name: "program099" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "program100" }).count(), 0);
  await page.getByRole("button", { name: "Show more programs" }).click();
  await page.getByRole("heading", { name: "program100" }).waitFor();
  assert.equal(await page.getByRole("heading", { level: 2 }).count(), 101);
  assert.equal(await page.getByRole("button", { name: "Show more programs" }).count(), 0);
});

test("failures: groups with reproducers, markup as text", async (t) => {
  const page = await open(t, failing);
  await page.getByRole("heading", { name: markup }).first().waitFor();
  await page.getByText("32 distinct failures in 53 observations.").waitFor();
  const items = page.locator("section[aria-labelledby=failures] > ol > li");
  assert.equal(await items.count(), 20);
  assert.match(await items.first().textContent(), /crash.*2 observations.*4 bytes.*x\*\(y/s);
  assert.match(await items.nth(1).textContent(), /x\*1\+<img src=x/);
  await page.getByRole("button", { name: "Show more failures" }).click();
  await page.getByText("not UTF-8").waitFor();
  assert.equal(await items.count(), 32);
  await page.getByLabel("Outcome").selectOption("timeout");
  await page.getByText("1 distinct failure in 53 observations.").waitFor();
  assert.equal(await items.count(), 1);
  await page.getByRole("combobox", { name: "Commit" }).selectOption("older");
  await page.getByText("5 distinct failures in 26 observations.").waitFor();
  await page.getByRole("link", { name: "Train a model" }).waitFor();
  await inspect(page, "failures");
  assert.equal(await page.locator("img, main script").count(), 0);
});

test("failures: an input is copied and saved", async (t) => {
  const page = await open(t, failing, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.getByRole("button", { name: "Copy input 1", exact: true }).click();
  await page.getByText("Copied the input.").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "x*(y");
  await page.getByLabel("Outcome").selectOption("failure");
  await page.getByText("not UTF-8").waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download input 1" }).click();
  assert.deepEqual([...readFileSync(await (await saving).path())], [0xff, 0]);
});

test("models of a program: training adds a model to the plot and the table", async (t) => {
  const page = await open(t, `${url}/#/programs/calc/models`);
  const chart = page.getByRole("slider", { name: "Quality of the models, oldest first" });
  await chart.waitFor();
  assert.equal(await chart.getAttribute("aria-valuemax"), "0");
  const rows = page.getByRole("region", { name: "Table of models" }).locator("tbody tr");
  assert.match(await rows.first().textContent(), /1\s+demo.*expr.*1,000.*15 of 24.*%/s);
  await page.getByLabel("Seed").fill("2");
  await page.evaluate(() => {
    globalThis.shown = new Set();
    const look = () => document.querySelectorAll("main li").forEach((e) => globalThis.shown.add(e.textContent));
    new MutationObserver(look).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
  });
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await page.getByText(/^Training \d+ is done\.$/).waitFor({ timeout: 60_000 });
  const shown = await page.evaluate(() => [...globalThis.shown]);
  assert.ok(shown.some((text) => /: (reading|learning)/.test(text)), shown.join("; "));
  await rows.nth(1).waitFor();
  assert.equal(await chart.getAttribute("aria-valuemax"), "1");
  assert.match(await chart.getAttribute("aria-valuetext"), /^\d+: F1 [0-9.]+\s%, F1 of rare methods [0-9.]+\s%$/);
  await chart.focus();
  await page.keyboard.press("ArrowLeft");
  assert.match(await chart.getAttribute("aria-valuetext"), /^1: F1 /);
  await inspect(page, "program-models");
  await page.getByRole("link", { name: "Explore the model of training" }).click();
  await page.getByRole("tree", { name: "Derivation tree" }).waitFor();
});

test("models of a program: training can be cancelled", async (t) => {
  const page = await open(t, `${many}/#/programs/program000/models`);
  await page.getByText("The program has no models.").waitFor();
  await page.getByLabel("Grammar").selectOption("expr");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await page.getByRole("progressbar").waitFor();
  await inspect(page, "training");
  await page.reload(); // the job goes on
  await page.getByRole("button", { name: "Cancel training" }).click();
  await page.getByText(/^Training \d+ was cancelled\.$/).waitFor();
  assert.equal(await page.getByRole("progressbar").count(), 0);
});

test("models of a program: training needs a key with the scope write", async (t) => {
  const page = await open(t, `${locked}/#/programs/calc/models`, { expected: /401|403/ });
  const use = async (key) => {
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Use key" }).click();
    await page.getByLabel("Grammar").selectOption("expr");
    await page.getByRole("button", { name: "Train", exact: true }).click();
  };
  await use(read);
  await page.getByRole("alert").getByText("write").waitFor();
  await page.reload();
  await use(write);
  await page.getByText(/^Training \d+ is done\.$/).waitFor({ timeout: 60_000 });
});

test("compare: changed conditions, rates and an example", async (t) => {
  const page = await open(t, `${url}/#/programs/next/models`);
  await page.getByRole("link", { name: /^Changes of model/ }).click();
  await page.getByRole("heading", { name: "1 changed method" }).waitFor();
  const item = page.locator("section[aria-labelledby=changes] > ol > li");
  assert.match(await item.textContent(), /foldSign reached by other inputs.*predict \d+ inputs differently; model error explains at most/s);
  assert.match(await item.textContent(), /Reached before\s+\d+ of \d+ observations, \d+.*Reached after\s+\d+ of \d+ observations/s);
  const input = await item.getByText("Example:").locator("code").textContent();
  assert.match(input, /\*/);
  await inspect(page, "compare");
  await page.getByRole("button", { name: "Explore the example of change 1, after" }).click();
  await page.getByRole("heading", { name: "Why foldSign?" }).waitFor();
  await page.getByText("Not reached", { exact: true }).waitFor();
});

test("compare: choosing models, and a program with one model", async (t) => {
  const page = await open(t, `${url}/#/programs/next/compare`);
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("heading", { name: "1 changed method" }).waitFor();
  const newer = page.getByLabel("Newer model");
  await newer.selectOption(await page.getByLabel("Older model").inputValue());
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("heading", { name: "No changed methods" }).waitFor();
  await page.goto(`${many}/#/programs/program000/compare`);
  await page.getByText("The program has 0 models; two are needed.").waitFor();
});

// send sends JSON to the service and returns its answer.
async function send(path, body) {
  const response = await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json();
}

// calculate runs a program with a method for each operator, which fails on divisions.
function calculate({ id, input, input_base64 }) {
  const text = input ?? Buffer.from(input_base64, "base64").toString("latin1");
  const methods = ["calc.go#read", ...[..."(*+-/%"].filter((c) => text.includes(c)).map((c) => `calc.go#${markup} ${c}`)];
  const failure = text.includes("/") ? { type: markup, message: markup, stack: "division" } : undefined;
  return { id, methods, failure };
}

// drive runs the program on the next inputs of a campaign.
async function drive(campaign, runs) {
  for (let told = 0; told < runs; ) {
    const { inputs } = await send(`/v1/campaigns/${campaign}/asks`, { n: Math.min(25, runs - told) });
    if (inputs.length === 0) continue;
    told += inputs.length;
    await send(`/v1/campaigns/${campaign}/tells`, { observations: inputs.map(calculate) });
  }
}

test("campaigns: live curves, aims and finds", async (t) => {
  const { id } = await send("/v1/campaigns", { subject: "calc", commit: markup, grammar: "expr", options: { n: 1000 } });
  const page = await open(t, `${url}/#/campaigns`);
  await page.getByRole("heading", { name: `${id}: calc at <img` }).getByRole("link").click();
  await page.getByText("No failures yet.").waitFor();
  await drive(id, 100);
  await page.getByText("100 of 1,000 runs").waitFor();
  await drive(id, 100);
  await page.getByText("200 of 1,000 runs").waitFor();
  for (const name of ["Runs over time", "Methods reached", "Distinct failures", "Covered paths of length 3"]) {
    const chart = page.getByRole("slider", { name });
    assert.ok(Number(await chart.getAttribute("aria-valuemax")) >= 2, name);
    await chart.focus();
    const last = await chart.getAttribute("aria-valuetext");
    await page.keyboard.press("Home");
    assert.notEqual(await chart.getAttribute("aria-valuetext"), last, name);
  }
  assert.match(await page.getByRole("slider", { name: "Runs over time" }).getAttribute("aria-valuetext"), /^[0-9.]+ (s|min): runs \d+$/);
  await page.locator("section[aria-labelledby=aims] li").first().waitFor();
  const failure = page.locator("section[aria-labelledby=failures] li");
  await failure.getByRole("heading", { name: `failure ${markup}` }).waitFor();
  await page.getByRole("button", { name: "Show earlier inputs" }).click();
  await page.locator("section[aria-labelledby=best] li").getByText(/first to reach .*<img src=x/).first().waitFor();
  await inspect(page, "campaign");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("stopped", { exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  await failure.getByRole("button", { name: "Open in Explore input 1" }).click();
  await page.getByText(/Reaches \d+ of 24 methods|outside the grammar/).first().waitFor();
  await page.goto(`${url}/#/programs/calc/campaigns`);
  await page.getByText("200 runs").waitFor();
  await inspect(page, "campaigns");
  assert.equal(await page.locator("img, main script").count(), 0);
  await page.goto(`${url}/#/programs/next/campaigns`);
  await page.getByText("There are no campaigns.").waitFor();
});

test("campaigns: one that does not exist", async (t) => {
  const page = await open(t, `${url}/#/campaigns/999`, { expected: /404/ });
  await page.getByRole("alert").getByText("999").waitFor();
});
