// Tests of the screens of programs. The Go test in programs_test.go starts the services and
// sets the variables: INROAD_PAGE is a service with the observations and the model of the
// demo, and with a program whose name is markup; INROAD_PAGE_MANY one with 101 programs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inspect, open, test } from "./page.mjs";

const { INROAD_PAGE: url, INROAD_PAGE_MANY: many } = process.env;
const markup = "<img src=x onerror=alert(1)>";
const failing = `${url}/#/programs/${encodeURIComponent(markup + "\u202e")}`;

test("programs: the demo", async (t) => {
  const page = await open(t, url);
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Programs" }).click();
  await page.getByText("1,026 observations of 2 commits").waitFor();
  await page.getByText("1,000 ok").waitFor();
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
  await inspect(page, "failures");
  await page.getByRole("button", { name: "Show more failures" }).click();
  await page.getByText("not UTF-8").waitFor();
  assert.equal(await items.count(), 32);
  await page.getByLabel("Outcome").selectOption("timeout");
  await page.getByText("1 distinct failure in 53 observations.").waitFor();
  assert.equal(await items.count(), 1);
  await page.getByRole("combobox", { name: "Commit" }).selectOption("older");
  await page.getByText("5 distinct failures in 26 observations.").waitFor();
  await page.getByText("Train a model").waitFor();
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
