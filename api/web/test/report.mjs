// Tests of reports in a browser. INROAD_REPORTS has the reports demo.html and large.html,
// which inroad report wrote.
import assert from "node:assert/strict";
import { inspect, open, test } from "./page.mjs";

const { INROAD_REPORTS: reports } = process.env;

// report opens a report, which must work without a service and load nothing.
async function report(t, name, options) {
  const page = await open(t, `file://${reports}/${name}.html`, { offline: true, ...options });
  const loaded = [];
  page.on("request", (r) => loaded.push(r.url()));
  t.after(() => assert.deepEqual(loaded, []));
  return page;
}

test("report: methods, one method, observations and grammar", async (t) => {
  const page = await report(t, "demo");
  await page.getByRole("link", { name: "distributiveRule" }).waitFor();
  assert.equal(await page.title(), "Methods · inroad");
  await inspect(page, "report-methods");
  await page.getByRole("link", { name: "distributiveRule" }).click();
  await page.getByRole("heading", { name: "Decision tree" }).waitFor();
  await page.getByText("reached", { exact: true }).first().waitFor();
  assert.ok((await page.locator(".leaf code").count()) > 0, "leaves have example inputs");
  assert.equal(await page.getByRole("button", { name: "Generate" }).count(), 0);
  await inspect(page, "report-method");
  await page.getByRole("link", { name: "Observations" }).click();
  await page.getByText("No failures in 1,000 observations.").waitFor();
  await page.getByRole("link", { name: "isNeutral" }).waitFor();
  await inspect(page, "report-observations");
  await page.getByRole("link", { name: "Grammar" }).click();
  await page.getByRole("heading", { name: "Grammar expr" }).waitFor();
  assert.match(await page.locator("main pre").first().textContent(), /multExpr/);
  await inspect(page, "report-grammar");
  await page.getByText("Licences of the code").click();
  await page.getByText("svelte").first().waitFor();
});

test("report: names, failures and inputs with markup are shown as text", async (t) => {
  const page = await report(t, "large");
  await page.getByRole("searchbox", { name: "Filter methods" }).fill("onerror");
  await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).first().click();
  await page.getByRole("heading", { name: "<img src=x onerror=alert(1)>" }).first().waitFor();
  await page.getByRole("link", { name: "Observations" }).click();
  await page.getByRole("heading", { name: "</script><script>alert(1)</script>" }).waitFor();
  await page.getByText("1 distinct failure in 122 observations.").waitFor();
  await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
  await inspect(page, "report-failures");
  assert.equal(await page.locator("img, main script").count(), 0);
});

test("report: its policy refuses other code", async (t) => {
  const page = await report(t, "demo", { expected: /TrustedScript|Content Security Policy/ });
  await page.getByRole("link", { name: "distributiveRule" }).waitFor();
  const refused = await page.evaluate(async () => {
    const script = document.createElement("script");
    try {
      script.textContent = "globalThis.ran = true";
    } catch {
      return "assignment";
    }
    document.body.append(script);
    return globalThis.ran ? "" : "execution";
  });
  assert.notEqual(refused, "");
});
