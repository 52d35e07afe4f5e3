"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const one = (selector, from = document) => from.querySelector(selector);
  root.classList.add("js");

  // Colours: the system's, unless the reader wants the others.
  const stored = (() => { try { return localStorage.getItem("bolide-theme"); } catch { return null; } })();
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  const theme = one("#theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  const flip = () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("bolide-theme", root.dataset.theme); } catch { /* the choice lasts as long as the page */ }
    label();
  };
  theme.addEventListener("click", flip);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
  label();

  // The trace; see below.
  const steps = all(".steps button");
  let at = 0;

  // Tabs.
  const tabs = all("[role=tab]");
  const panels = tabs.map((tab) => document.getElementById(tab.getAttribute("aria-controls")));
  const show = (n, focus) => {
    tabs.forEach((tab, m) => {
      tab.setAttribute("aria-selected", String(m === n));
      tab.tabIndex = m === n ? 0 : -1;
      panels[m].hidden = m !== n;
    });
    tabs[n].scrollIntoView({ block: "nearest", inline: "nearest" });
    if (focus) tabs[n].focus();
    all(".graph", panels[n]).forEach(fit);
    if (steps.length > 0 && panels[n].contains(steps[0])) go(at);
  };
  const showPanelOf = (element) => {
    const n = panels.findIndex((panel) => panel.contains(element));
    if (n >= 0 && panels[n].hidden) show(n);
  };
  tabs.forEach((tab, n) => {
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      show(n);
      // After the mouse, arrow keys are for the trace.
      if (event.detail > 0) tab.blur();
    });
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: n + 1, ArrowLeft: n - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      show((to + tabs.length) % tabs.length, true);
    });
  });

  // Drawings: as large as the screen allows at first, but readable.
  const resize = (graph, factor) => {
    const svg = one("svg", graph);
    const natural = Number(svg.dataset.width);
    const height = svg.viewBox.baseVal.height;
    graph.scale = Math.min(4, Math.max(0.05, factor));
    svg.setAttribute("width", natural * graph.scale);
    svg.setAttribute("height", height * graph.scale);
  };
  function fit(graph) {
    if (graph.scale) return;
    const svg = one("svg", graph);
    const wanted = (graph.clientWidth - 4) / Number(svg.dataset.width);
    resize(graph, Math.max(0.55, Math.min(1, wanted)));
    const first = one(".node rect", graph).getBoundingClientRect();
    graph.scrollLeft += first.left + first.width / 2 - graph.getBoundingClientRect().left - graph.clientWidth / 2;
  }
  all(".zoom").forEach((zoom) => {
    const graph = zoom.nextElementSibling;
    zoom.addEventListener("click", (event) => {
      const how = event.target.dataset.zoom;
      if (how === "fit") resize(graph, Math.min(1, (graph.clientWidth - 4) / Number(one("svg", graph).dataset.width)));
      if (how === "in") resize(graph, graph.scale * 1.25);
      if (how === "out") resize(graph, graph.scale / 1.25);
    });
  });
  all("select[data-drawings]").forEach((select) => {
    const drawings = all(".drawing", select.closest("section"));
    const pick = () => drawings.forEach((drawing, n) => {
      drawing.hidden = n !== select.selectedIndex;
      if (!drawing.hidden) all(".graph", drawing).forEach(fit);
    });
    select.addEventListener("change", pick);
    pick();
  });

  // Links to lines of the source.
  const highlight = (row) => {
    all(".row.now").forEach((other) => other.classList.remove("now"));
    if (row) row.classList.add("now");
  };
  // Scrolls the box around an element, and the page only if the box is out of sight.
  const centre = (element, box) => {
    if (box.scrollHeight > box.clientHeight + 1) {
      box.scrollTop += element.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 2;
    }
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 60 || bottom > innerHeight) element.scrollIntoView({ block: "center" });
  };
  const reveal = (row) => {
    showPanelOf(row);
    highlight(row);
    centre(row, row.closest(".code"));
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#s']");
    const row = link && document.getElementById(link.getAttribute("href").slice(1));
    if (!row || !row.matches(".row")) return;
    event.preventDefault();
    reveal(row);
  });

  // The trace.
  const name = one(".now-text"), count = one(".controls output"), table = one(".vars tbody");
  const buttons = Object.fromEntries(all("[data-step]").map((b) => [b.dataset.step, b]));
  const isReading = () => steps.length > 0 && !panels.find((panel) => panel.contains(steps[0])).hidden;
  const variables = () => {
    if (!table) return;
    const values = new Map();
    for (let n = 0; n <= at; n++) {
      const step = steps[n].dataset;
      if (step.name === undefined) continue;
      values.delete(step.key);
      values.set(step.key, { step, n });
    }
    const rows = [...values.values()].reverse().map(({ step, n }) => {
      const row = document.createElement("tr");
      if (n === at) row.className = "changed";
      for (const text of [step.name, step.value, step.function || ""]) {
        const cell = document.createElement("td");
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    });
    table.replaceChildren(...rows);
  };
  function go(n, scroll = true) {
    if (steps.length === 0) return;
    at = Math.min(steps.length - 1, Math.max(0, n));
    steps.forEach((step, m) => (m === at ? step.setAttribute("aria-current", "step") : step.removeAttribute("aria-current")));
    const step = steps[at];
    name.textContent = step.dataset.what;
    count.textContent = `step ${step.dataset.number} of ${steps[steps.length - 1].dataset.number}`;
    buttons.first.disabled = buttons.back.disabled = at === 0;
    buttons.next.disabled = buttons.last.disabled = at === steps.length - 1;
    variables();
    const row = step.dataset.at && document.getElementById(step.dataset.at);
    highlight(row);
    if (!scroll) return;
    const list = step.closest(".steps");
    list.scrollTop += step.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    if (row) centre(row, row.closest(".code"));
  }
  steps.forEach((step, n) => step.addEventListener("click", () => go(n)));
  const moves = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => steps.length - 1 };
  Object.entries(buttons).forEach(([how, button]) => button.addEventListener("click", () => go(moves[how]())));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("select, input, textarea, .graph, .wave")) return;
    if (event.key === "t") return flip();
    if (/^[1-9]$/.test(event.key) && event.key <= tabs.length) return show(Number(event.key) - 1);
    const how = { ArrowRight: "next", j: "next", ArrowDown: "next", ArrowLeft: "back", k: "back", ArrowUp: "back", Home: "first", End: "last" }[event.key];
    if (!how || !isReading()) return;
    event.preventDefault();
    go(moves[how]());
  });

  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const named = target ? panels.indexOf(target) : -1;
  show(named >= 0 ? named : 0);
  go(0, false);
  if (target && target.classList.contains("row")) reveal(target);
})();
