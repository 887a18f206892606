// Tests of the page in a browser. The Go test in browser_test.go starts the services and
// sets the variables: INROAD_PAGE is a service with the models "demo", "votes" and "large",
// INROAD_PAGE_LOCKED one that requires INROAD_PAGE_KEY. INROAD_PAGE_OVERRULED is an input for
// which a regression overrules the decision tree of the method "most" of "votes".
import assert from "node:assert/strict";
import { inspect, open, test } from "./page.mjs";

const { INROAD_PAGE: url, INROAD_PAGE_LOCKED: locked, INROAD_PAGE_KEY: key, INROAD_PAGE_OVERRULED: overruled } = process.env;

const editor = (page) => page.locator(".cm-content");

// type replaces the input.
async function type(page, text) {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

// explore replaces the input, and waits until the page shows the service's answer.
async function explore(page, text) {
  const answer = page.waitForResponse((r) => r.url().endsWith("/predictions") && r.request().postDataJSON().inputs[0].input === text);
  await type(page, text);
  const { methods, reaches } = (await (await answer).json()).answers[0];
  await page.getByText(`Reaches ${reaches} of ${methods.length} methods.`).waitFor();
}

// paste replaces the input, as by Ctrl+V.
async function paste(page, text) {
  await editor(page).click();
  await page.keyboard.press("Control+a");
  await editor(page).evaluate((e, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

test("models", async (t) => {
  const page = await open(t, url);
  await page.getByRole("heading", { name: "calc" }).waitFor();
  await page.getByRole("heading", { name: "unnamed program" }).waitFor();
  await inspect(page, "models");
  await page.getByRole("heading", { name: "calc" }).getByRole("link").click();
  await page.getByRole("tree", { name: "Derivation tree" }).waitFor();
});

test("explore: the input begins with an example, and typing updates everything", async (t) => {
  const page = await open(t, `${url}/#/models/demo`);
  await page.getByText("Reaches").waitFor();
  await explore(page, "x*(y+1)");
  await page.getByRole("treeitem", { name: "distributiveRule" }).click();
  await page.getByRole("heading", { name: "Why distributiveRule?" }).waitFor();
  await page.getByText(/\d+ of \d+ observations\s+in its leaf/).waitFor();
  await page.locator(".mark-token").first().waitFor();
  assert.deepEqual(await page.locator(".mark-token").allTextContents(), ["*", "(", "+", ")"]);
  await inspect(page, "explore");
  await type(page, "x*y+1");
  await page.getByText("Not reached", { exact: true }).waitFor();
  await page.locator(".mark-region").first().waitFor({ state: "detached" });
});

test("explore: a prediction that a regression overrules says so", async (t) => {
  const page = await open(t, `${url}/#/models/votes`);
  await page.getByText("Reaches").waitFor();
  await explore(page, overruled);
  await page.getByLabel("also not reached").check();
  await page.getByRole("treeitem", { name: "most" }).click();
  await page.getByText("A regression overrules the decision tree").waitFor();
  await page.getByRole("link", { name: "All conditions of this method" }).click();
  await page.getByText("It may overrule predictions of").waitFor();
  await inspect(page, "regression");
});

test("explore: offsets are bytes", async (t) => {
  const page = await open(t, `${url}/#/grammars/json`);
  await type(page, '["€𝄞", tru]');
  await page.locator(".mark-error").waitFor();
  assert.equal(await page.locator(".mark-error").first().textContent(), "tru]");
});

test("explore: an input outside the grammar is marked, with what was expected", async (t) => {
  const page = await open(t, `${url}/#/models/demo`);
  await page.getByText("Reaches").waitFor();
  await type(page, "x*y)+1");
  await page.getByText("Outside the grammar at line 1, column 4.").waitFor();
  assert.equal(await page.locator(".mark-error").textContent(), ")");
  await page.getByText("Expected end of input, '+'").waitFor();
  await inspect(page, "outside");
  await type(page, "x*(");
  await page.getByText("Unexpected end of the input").waitFor();
  assert.equal(await page.locator(".mark-error").count(), 1);
});

test("explore: the keyboard operates the tree", async (t) => {
  const page = await open(t, `${url}/#/models/demo`);
  await page.getByText("Reaches").waitFor();
  await explore(page, "x*(y+1)");
  const tree = page.getByRole("tree", { name: "Derivation tree" });
  await tree.focus();
  const before = await tree.getByRole("treeitem").count();
  const active = () => tree.evaluate((e) => document.getElementById(e.getAttribute("aria-activedescendant"))?.textContent.trim());
  await page.keyboard.press("Home");
  assert.match(await active(), /expr/);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await tree.getByRole("treeitem").count(), 1);
  await page.keyboard.press("ArrowRight");
  assert.equal(await tree.getByRole("treeitem").count(), before);
  await page.keyboard.press("End");
  assert.match(await active(), /EOF/);
});

test("explore: a key press is answered at once, and an input of 100 kB does not freeze the page", async (t) => {
  const page = await open(t, `${url}/#/models/demo`);
  await page.getByText("Reaches").waitFor();
  await editor(page).click();
  const times = [];
  for (const c of "+x*(y+z)") {
    await page.keyboard.insertText(c);
    await page.waitForTimeout(250);
    times.push(Number(await page.locator("[data-took]").getAttribute("data-took")));
  }
  t.diagnostic(`key press to prediction: ${times.map((n) => n.toFixed(0)).join(" ")} ms`);
  await page.evaluate(() => {
    globalThis.longest = 0;
    let last = performance.now();
    const tick = () => {
      globalThis.longest = Math.max(globalThis.longest, performance.now() - last);
      last = performance.now();
      requestAnimationFrame(tick);
    };
    tick();
  });
  await paste(page, "x+y*z\n+".repeat(15_000) + "x");
  await page.getByRole("button", { name: "Show the tree" }).waitFor();
  await page.getByText(/Reaches/).waitFor();
  await page.waitForTimeout(500);
  t.diagnostic(`longest frame with 105 kB: ${(await page.evaluate(() => globalThis.longest)).toFixed(0)} ms`);
});

test("explore: a model of 3,000 methods", async (t) => {
  const page = await open(t, `${url}/#/models/large`);
  await page.getByText("Reaches").waitFor();
  await type(page, "1+x*y");
  await page.getByText(/Reaches [0-9,]+ of 3,000 methods/).waitFor();
  await page.getByLabel("also not reached").check();
  const tree = page.getByRole("tree", { name: "Predicted methods by file" });
  assert.ok((await tree.getByRole("treeitem").count()) < 100);
  await inspect(page, "explore-large");
  await tree.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Why m/ }).waitFor();
  for (const c of "+x*y") {
    await editor(page).press("End");
    await page.keyboard.insertText(c);
    await page.waitForTimeout(400);
    t.diagnostic(`key press to predictions of 3,000 methods: ${await page.locator("[data-took]").getAttribute("data-took")} ms`);
  }
});

test("methods: a table of many methods is sorted, filtered and scrolled", async (t) => {
  const page = await open(t, `${url}/#/models/large/methods`);
  await page.getByText("3,000 methods").first().waitFor();
  const table = page.getByRole("table", { name: "Methods" });
  assert.equal(await table.getAttribute("aria-rowcount"), "3001");
  assert.ok((await table.getByRole("row").count()) < 100);
  await inspect(page, "methods-large");
  await page.getByRole("button", { name: "Reached" }).first().click();
  await table.locator('[role=columnheader][aria-sort="descending"]').waitFor();
  assert.match(await table.getByRole("row").nth(1).textContent(), /100\s%/);
  await table.evaluate((e) => (e.scrollTop = e.scrollHeight));
  await table.locator('[aria-rowindex="3001"]').waitFor();
  await page.getByRole("searchbox", { name: "Filter methods" }).fill("file37.go#m77");
  await page.getByText(/^1 method$/).waitFor();
  await page.getByRole("combobox", { name: "Status" }).selectOption("always");
  await page.getByText(/^0 methods$/).waitFor();
});

test("method: conditions, tree, and generated inputs", async (t) => {
  const page = await open(t, `${url}/#/models/demo/methods`);
  await page.getByRole("link", { name: "distributiveRule" }).waitFor();
  await inspect(page, "methods");
  await page.getByRole("link", { name: "distributiveRule" }).click();
  await page.getByRole("heading", { name: "Decision tree" }).waitFor();
  await page.getByRole("button", { name: "Generate" }).click();
  await page.getByText("5 inputs.").waitFor();
  await inspect(page, "method");
  await page.locator("#generate ~ ol button").first().click();
  await page.getByRole("heading", { name: "Why distributiveRule?" }).waitFor();
  await page.getByText("Reached", { exact: true }).waitFor();
});

test("method: a method without inputs has a verdict", async (t) => {
  const page = await open(t, `${url}/#/models/demo/methods`);
  await page.getByRole("combobox", { name: "Status" }).selectOption("never");
  await page.getByRole("table").getByRole("link").first().click();
  await page.getByRole("button", { name: "Generate" }).click();
  await page.getByText("no observation reached the method").first().waitFor();
});

test("grammar: a dropped file is parsed", async (t) => {
  const page = await open(t, `${url}/#/grammars`);
  await page.getByRole("heading", { name: "json" }).waitFor();
  await inspect(page, "grammars");
  await page.getByRole("link", { name: "json" }).click();
  await page.getByRole("heading", { name: "Grammar json" }).waitFor();
  await page.getByLabel("Or drop a file here").setInputFiles({ name: "<b>.json", mimeType: "text/plain", buffer: Buffer.from('{"a": [1, true]}') });
  await page.getByText("In the grammar.").waitFor();
  await page.getByText("<b>.json, 16 bytes").waitFor();
  await page.getByRole("tree", { name: "Derivation tree" }).waitFor();
  await inspect(page, "grammar");
});

test("markup and control characters of names, inputs and addresses are shown as text", async (t) => {
  const markup = "<img src=x onerror=alert(1)>";
  const page = await open(t, `${url}/#/models/large/methods`, { expected: /404/ }); // the last model does not exist
  await page.getByRole("searchbox", { name: "Filter methods" }).fill("onerror");
  await page.getByRole("link", { name: markup }).first().click();
  await page.getByRole("heading", { name: markup }).first().waitFor();
  await page.getByRole("button", { name: "Generate" }).click();
  await page.getByText(/^\d+ inputs?\./).waitFor();
  await page.goto(`${url}/#/models/large`);
  await page.getByText("Reaches").waitFor();
  await type(page, "<script>alert(1)</script>\u0000\u202e<img src=x onerror=alert(1)>");
  await page.getByText("Outside the grammar at").waitFor();
  await page.goto(`${url}/#/models/${encodeURIComponent(markup)}`);
  await page.getByRole("alert").getByText(markup).waitFor();
  assert.equal(await page.locator("img, main script").count(), 0);
});

test("a service that requires keys: the page asks for one and keeps it in memory", async (t) => {
  const page = await open(t, locked, { expected: /401/ });
  const field = page.getByLabel("Key", { exact: true });
  await field.waitFor();
  await inspect(page, "key");
  await field.fill("wrong");
  await page.getByRole("button", { name: "Use key" }).click();
  await page.getByRole("alert").waitFor();
  await field.fill(key);
  await page.getByRole("button", { name: "Use key" }).click();
  await page.getByText("The service has no models.").waitFor();
  assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]), [0, 0, ""]);
  await page.reload();
  await field.waitFor();
});
