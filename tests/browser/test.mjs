// Clicks through reports in a real browser: Chromium, driven by playwright-core.
//
//   node test.mjs BOLIDE [FOLDER]
//
// BOLIDE is the binary; screenshots go to FOLDER (screenshots/ by default) for people to look at.

import { chromium } from "playwright-core";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [bolide, screenshots = join(here, "screenshots")] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), "bolide-browser-"));
const sizes = { phone: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };
mkdirSync(screenshots, { recursive: true });

/** Verifies a task and returns the address of its page. */
function report(task, ...options) {
  const page = join(scratch, `${task.replace(/\W/g, "-")}.html`);
  const file = existsSync(task) ? task : join(here, "tasks", task);
  const run = spawnSync(bolide, ["verify", "--timeout", "60", "--report", page, ...options, file], { encoding: "utf8" });
  assert.ok([0, 1].includes(run.status), `${task}: ${run.stdout}${run.stderr}`);
  return `file://${page}`;
}

/** A program with many functions, of which one is wrong at its end. */
function large() {
  const file = join(scratch, "large.c");
  const lines = ["extern void reach_error(void);", "extern int __VERIFIER_nondet_int(void);"];
  for (let n = 0; n < 4000; n++) {
    lines.push(`int f${n}(int x) {`, "  if (x > 100) {", "    x = 100;", "  }");
    for (let k = 0; k < 10; k++) lines.push(`  x = x + ${k};`);
    lines.push("  return x;", "}", "");
  }
  lines.push("int main(void) {", "  int x = f7(__VERIFIER_nondet_int());", "  if (x == 45) reach_error();", "  return 0;", "}");
  writeFileSync(file, lines.join("\n"));
  return file;
}

let checks = 0;
const check = (condition, message) => {
  assert.ok(condition, message);
  checks++;
};

async function open(browser, address, size, colorScheme) {
  const context = await browser.newContext({ viewport: sizes[size], colorScheme, offline: true });
  const page = await context.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("data:") || problems.push(request.url()));
  await page.goto(address);
  return { page, problems, close: () => context.close() };
}

/** Every part of the page, at every size, in both colours: nothing fails, and nothing is wider than the screen. */
async function look(browser, name, address) {
  for (const size of Object.keys(sizes)) {
    for (const colours of ["light", "dark"]) {
      const { page, problems, close } = await open(browser, address, size, colours);
      const tabs = await page.locator("[role=tab]").all();
      for (const tab of tabs) {
        await tab.click();
        const id = await tab.getAttribute("aria-controls");
        check(await page.locator(`#${id}`).isVisible(), `${name}: ${id} is shown`);
        check((await page.locator("section:visible").count()) === 1, `${name}: one part at a time`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        check(overflow <= 0, `${name}: ${id} is ${overflow} pixels too wide (${size})`);
        await page.screenshot({ path: join(screenshots, `${name}-${id}-${size}-${colours}.png`) });
      }
      assert.deepEqual(problems, [], `${name}: no errors and no requests`);
      await close();
    }
  }
}

async function stepping(browser, address) {
  const { page, close } = await open(browser, address, "wide", "light");
  await page.click("#tab-source");
  const step = async () => Number((await page.textContent(".controls output")).match(/step (\d+) of/)[1]);
  const last = Number((await page.textContent(".controls output")).match(/of (\d+)/)[1]);
  check((await step()) === 1, "the trace starts with its first step");
  check(await page.isDisabled("[data-step=back]"), "there is nothing before it");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("j");
  check((await step()) === 3, "arrow and j go on");
  await page.keyboard.press("k");
  await page.keyboard.press("ArrowLeft");
  check((await step()) === 1, "k and arrow go back");
  await page.click("[data-step=next]");
  check((await step()) === 2, "the button goes on");
  const changed = await page.textContent(".vars tr.changed td:nth-child(1)");
  check(changed.trim() === "unused", `the variable that changed is marked: ${changed}`);
  await page.keyboard.press("End");
  check((await step()) === last, "End goes to the end");
  check((await page.textContent(".now-text")).includes("reach_error"), "which is the violation");
  const current = await page.textContent(".row.now b");
  check(current === "31", `its line is marked: ${current}`);
  check(await page.isVisible(".row.now"), "and in sight");
  const box = await page.locator(".row.now").boundingBox();
  check(box.y >= 0 && box.y + box.height <= 900, "on the screen");
  await page.click(".steps li:nth-child(4) button");
  check((await step()) === 4, "a step can be chosen");
  await close();
}

async function keyboard(browser, address) {
  const { page, close } = await open(browser, address, "wide", "light");
  await page.focus("#tab-overview");
  await page.keyboard.press("ArrowRight");
  check((await page.getAttribute("#tab-source", "aria-selected")) === "true", "arrows move between tabs");
  check(await page.evaluate(() => document.activeElement.id === "tab-source"), "and the focus with them");
  await page.keyboard.press("End");
  check((await page.getAttribute("#tab-statistics", "aria-selected")) === "true", "End is the last tab");
  await page.keyboard.press("1");
  check((await page.getAttribute("#tab-overview", "aria-selected")) === "true", "digits choose tabs");
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.click("#theme");
  check((await back()) !== light, "the colours change");
  await page.reload();
  check((await back()) !== light, "and stay so");
  await page.keyboard.press("t");
  check((await back()) === light, "t changes them back");
  await close();
}

async function graphs(browser, address) {
  const { page, close } = await open(browser, address, "wide", "dark");
  await page.click("#tab-unwinding");
  check((await page.locator("#unwinding .node").count()) > 3, "the unwinding has vertices");
  check((await page.locator("#unwinding .edge.cover").count()) > 0, "and covers");
  const dashes = await page.locator("#unwinding .edge.cover path").first().evaluate((e) => getComputedStyle(e).strokeDasharray);
  check(dashes !== "none", "covers are dotted");
  const width = () => page.locator("#unwinding svg").evaluate((svg) => svg.getBoundingClientRect().width);
  const before = await width();
  await page.click("#unwinding [data-zoom=in]");
  check((await width()) > before, "drawings can be enlarged");
  await page.click("#unwinding summary");
  check(await page.isVisible("#unwinding details table"), "and read as a table");
  await page.click("#tab-flow");
  await page.locator("#flow a").first().click();
  check(await page.isVisible("#source"), "a block leads to its source");
  check((await page.locator(".row.now").count()) === 1, "whose line is marked");
  check((await page.locator(".fact").count()) > 0, "invariants are in the source");
  await close();
}

async function withoutScript(browser, address) {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: sizes.wide });
  const page = await context.newPage();
  await page.goto(address);
  check((await page.locator("section:visible").count()) > 2, "without scripts all parts are shown");
  await context.close();
}

async function main() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const violation = report("largest.c");
    const proof = report("search.c", "--engine", "impact");
    const pages = {
      violation,
      proof,
      vacuous: report("vacuous.c"),
      model: report("sat.smt2"),
      derivation: report("unsat.smt2"),
      waveform: report("counter.btor2"),
      invariant: report("toggle.aag"),
    };
    for (const [name, address] of Object.entries(pages)) await look(browser, name, address);
    await stepping(browser, violation);
    await keyboard(browser, violation);
    await graphs(browser, proof);
    await withoutScript(browser, violation);
    const big = report(large());
    const size = statSync(fileURLToPath(big)).size;
    check(size < 2_000_000, `the page of a large program is small: ${size} bytes`);
    await look(browser, "large", big);
  } finally {
    await browser.close();
    rmSync(scratch, { recursive: true });
  }
  console.log(`${checks} checks passed; screenshots are in ${screenshots}`);
}

await main();
