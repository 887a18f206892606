// Tests of the screens that read a corpus: selection, and coverage of a grammar.
// INROAD_PAGE is a service with the models "demo" and "large" and the observations of
// their programs.
import assert from "node:assert/strict";
import { inspect, open, test } from "./page.mjs";

const { INROAD_PAGE: url } = process.env;
const markup = "<img src=x onerror=alert(1)>\u202e";

const change = `diff --git a/optimize.go b/optimize.go
--- a/optimize.go
+++ b/optimize.go
@@ -67,1 +67,1 @@ func distributiveRule
-	sum := 1
+	sum := 2
`;

const file = (name, text) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

test("selection: the inputs that a change affects, and those left out", async (t) => {
  const page = await open(t, `${url}/#/models/demo/selection`);
  await page.getByRole("textbox", { name: "Diff" }).fill(change);
  await page.getByRole("combobox", { name: "Inputs of observations" }).selectOption({ label: "calc (1,000)" });
  await page.getByText("inputs of observations of calc.").waitFor();
  await page.getByLabel("Random sample of the rest").fill("0");
  await page.getByRole("button", { name: "Select" }).click();
  const selected = page.getByRole("heading", { name: /^\d+ of [\d,]+ inputs selected$/ });
  await selected.waitFor();
  const n = Number((await selected.textContent()).split(" ")[0]);
  assert.ok(n > 50 && n < 300, `${n} inputs selected, of about 110 that reach the method`);
  await page.getByRole("heading", { name: "1 changed method" }).waitFor();
  await page.getByRole("link", { name: "distributiveRule" }).first().waitFor();
  await page.getByRole("heading", { name: /inputs left out$/ }).waitFor();
  await inspect(page, "selection");
  const input = page.getByRole("region", { name: "Selected inputs" }).getByRole("button").first();
  const text = await input.textContent();
  await input.click();
  await page.getByRole("heading", { name: "Why distributiveRule?" }).waitFor();
  assert.equal((await page.locator(".cm-content").textContent()).replace(/\s/g, "").slice(0, 20), text.replace(/[\s⇥↵…]/g, "").slice(0, 20));
});

test("selection: dropped files, and a change with unknown effect", async (t) => {
  const page = await open(t, `${url}/#/models/demo/selection`);
  await page.getByRole("button", { name: "Select" }).click(); // the diff is missing, and the browser says so
  await page.getByLabel("Paste a diff").setInputFiles(file("a.diff", change.replaceAll("optimize.go", "go.mod")));
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByText("No corpus: choose files, or observations.").waitFor();
  await page.getByLabel("Drop the files").setInputFiles([file(markup, "x*(y+1)"), file("b", "1+2"), file("binary", Buffer.from([0xff, 0])), file("outside", markup)]);
  await page.getByText("4 inputs of files.").waitFor();
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByText("4 of 4 inputs selected").waitFor();
  await page.getByText(/go\.mod/).first().waitFor();
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  await inspect(page, "selection-all");
  assert.equal(await page.locator("img, main script").count(), 0);
});

test("selection: an invalid diff and names with markup", async (t) => {
  const page = await open(t, `${url}/#/models/large/selection`, { expected: /400/ }); // the text is not a diff
  await page.getByRole("combobox", { name: "Inputs of observations" }).selectOption({ index: 1 });
  await page.getByText(/inputs of observations of <i>large<\/i>/).waitFor();
  await page.getByRole("textbox", { name: "Diff" }).fill(markup);
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("textbox", { name: "Diff" }).fill("--- a/<b>.go\n+++ b/<b>.go\n@@ -1 +1 @@\n-a\n+b\n");
  await page.getByRole("button", { name: "Select" }).click();
  await page.getByRole("heading", { name: /selected$/ }).waitFor();
  assert.equal(await page.locator("img, main script, main b, main i").count(), 0);
});

test("grammar: coverage of a corpus by path length, and inputs for uncovered paths", async (t) => {
  const page = await open(t, `${url}/#/grammars/json`);
  await page.getByLabel("Drop the files").setInputFiles([file(markup, "[1, true]"), file("b", '{"a": []}'), file("c", "[1,")]);
  await page.getByText("2 of 3 inputs parse.").waitFor();
  const table = page.getByRole("region", { name: /^Paths that the corpus covers/ });
  await table.getByRole("row").nth(5).waitFor();
  const shares = await table.getByRole("row").evaluateAll((rows) => rows.slice(1).map((r) => Number.parseFloat(r.cells[1].textContent)));
  assert.equal(shares.length, 5);
  assert.ok(shares[0] > shares[4] && shares[4] > 0 && shares[0] < 100, `shares by k: ${shares}`);
  await page.getByText("1 rejected input, by reason").click();
  await page.getByText(/unexpected end of input/).first().waitFor();
  await page.getByText(/^\d+ rules? that no input uses/).waitFor();
  await table.getByRole("button", { name: "3" }).click();
  await page.getByRole("heading", { name: /uncovered paths of 3 symbols$/ }).waitFor();
  await page.getByRole("button", { name: /^Generate inputs with/ }).first().click();
  const input = page.getByTitle("Parse this input").first();
  await input.waitFor();
  const text = await input.textContent();
  await inspect(page, "coverage");
  await input.click();
  await page.getByText("In the grammar.").waitFor();
  assert.equal((await page.locator(".cm-content").textContent()).replace(/\s/g, "").slice(0, 20), text.replace(/[\s⇥↵␍…]/g, "").slice(0, 20));
});

test("grammar: coverage of the observations of a program", async (t) => {
  const page = await open(t, `${url}/#/grammars/expr`);
  await page.getByRole("combobox", { name: "Inputs of observations" }).selectOption({ label: "calc (1,000)" });
  await page.getByText("1,000 of 1,000 inputs parse.").waitFor();
  await page.getByRole("region", { name: /^Paths that the corpus covers/ }).getByRole("row").nth(5).waitFor();
  await page.getByRole("combobox", { name: "Inputs of observations" }).selectOption({ label: "<i>large</i> (122)" });
  await page.getByText(/inputs of observations of <i>large<\/i>/).waitFor();
  await page.getByText(/of 122 inputs parse/).waitFor();
  assert.equal(await page.locator("main i").count(), 0);
});
