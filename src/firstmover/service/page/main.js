// The frame of the app: routing, navigation, the token, and the connection to the server.

import { begin, call, GONE, pathOf, tokenInAddress } from "./api.js";
import { byId } from "./dom.js";
import { complaint, html, nothing, render as draw } from "./html.js";
import { follow } from "./live.js";

const TABS = { today: "Today", map: "Map", learning: "Results", rounds: "Rounds", report: "Report" };
const PLACES = [
  ["#/", "Matches"],
  ["#/compare", "Compare"],
  ["#/begin", "New match"],
  ["#/team", "Team"],
];
const MODULES = {
  "": "./home.js",
  compare: "./compare.js",
  new: "./newmatch.js",
  begin: "./begin.js",
  team: "./team.js",
  today: "./today.js",
  map: "./map.js",
  learning: "./learning.js",
  rounds: "./rounds.js",
  report: "./report.js",
};

const content = byId("content");
const connection = byId("connection");
let leaving = new AbortController();
let visits = 0;
let role = null; // until the server says it
let session = Promise.resolve(); // of the token in the address, if there was one

/** The place that the address names: {view, match}. */
function place() {
  const parts = location.hash.replace(/^#\/?/, "").split("?")[0].split("/").map(decoded);
  if (parts[0] !== "match") return { view: parts[0] in MODULES ? parts[0] : "", match: null };
  return { view: parts[2] in TABS ? parts[2] : "today", match: parts[1] };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function say(words) {
  if (connection.textContent !== words) connection.textContent = words;
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const { view, match: name } = place();
  visits += 1;
  delete document.documentElement.dataset.painted;
  places(view, name);
  try {
    const module = import(MODULES[view]);
    await session;
    const match = name === null ? null : await call(pathOf(name), { signal });
    if (match) meet(match.role);
    else if (role === null) meet((await call("/session", { signal })).role);
    bar(match, view);
    const root = document.createElement("div");
    root.className = `view view-${view || "matches"}`;
    const context = contextOf(match, signal, root);
    const { render } = await module;
    if (signal.aborted) return;
    content.replaceChildren(root); // before it is filled: pictures need to know how wide they are
    await render(root, context);
    if (signal.aborted) return;
    arrive(root, view, name);
    context.start();
  } catch (error) {
    if (!signal.aborted) fail(error, signal);
  }
}

function meet(given) {
  if (role === given) return;
  role = given;
  const { view, match } = place();
  places(view, match);
}

/** The context of a view: its match, calls, and changes. */
function contextOf(match, signal, root) {
  const callbacks = [];
  const api = (path, options = {}) => call(path, { signal, ...options });
  const guarded = async (callback) => {
    try {
      await callback();
      say("");
    } catch (error) {
      if (error.name !== "AbortError" && !signal.aborted) say(error.kind === "gone" ? GONE : error.message);
    }
  };
  const every = (milliseconds, callback) => {
    const timer = window.setInterval(() => document.hidden || guarded(callback), milliseconds);
    signal.addEventListener("abort", () => window.clearInterval(timer));
  };
  const changed = oneAtATime(() => Promise.all(callbacks.map(guarded)));
  const later = (callback) => window.setTimeout(() => guarded(callback), 0);
  const start = () =>
    match &&
    follow(pathOf(match.name, "events"), {
      signal,
      onChange: changed,
      onState: (state, refusal) => state !== "live" && say(refusal ? refusal.message : GONE),
    });
  return {
    match,
    api,
    signal,
    root,
    every,
    mayPlay: () => role === "owner" || role === "operator",
    mayManage: () => role === "owner",
    later,
    start,
    role,
    onChange: (callback) => callbacks.push(callback),
    go: (hash) => {
      location.hash = hash;
    },
  };
}

/** Run an action one at a time; calls while it runs are merged into one: events may come faster than drawing. */
function oneAtATime(act) {
  let [running, again] = [false, false];
  return async () => {
    again = true;
    if (running) return;
    running = true;
    while (again) {
      again = false;
      await act();
    }
    running = false;
  };
}

function arrive(root, view, name) {
  if (view !== "today")
    document.title = `${root.querySelector("h1")?.textContent ?? "firstmover"}${name ? ` · ${name}` : ""}`;
  if (visits > 1) (root.querySelector("h1[tabindex]") ?? content).focus({ preventScroll: false });
  say("");
  window.requestAnimationFrame(() => window.setTimeout(() => painted(view || "matches"), 0));
}

/** Mark that a view has been painted: benchmarks and tests wait for it. */
function painted(view) {
  performance.mark(`painted:${view}`);
  document.documentElement.dataset.painted = view;
}

function fail(error, signal) {
  if (error.status === 401) return welcome(error.message);
  const words = error.message || String(error);
  if (error.kind === "gone") {
    say(GONE);
    const again = window.setTimeout(show, 1000);
    signal.addEventListener("abort", () => window.clearTimeout(again));
  } else {
    bar(null, "");
    if (role === null)
      call("/session", { signal }).then(
        (known) => meet(known.role), // an owner can still create a match from here
        () => {},
      );
    fill(
      html`<section class="card">
        <h1 tabindex="-1">This view cannot be shown</h1>
        <p>${words}</p>
        <p><a href="#/">All matches</a></p>
      </section>`,
    );
  }
  return undefined;
}

/** Show a template in place of a view. */
function fill(template) {
  const root = document.createElement("div");
  draw(template, root);
  content.replaceChildren(root);
}

function welcome(words) {
  const enter = (event) => {
    event.preventDefault();
    identify(event.target.elements.token.value.trim());
    show();
  };
  bar(null, "");
  fill(
    html`<form class="card welcome" @submit=${enter}>
      <h1 tabindex="-1">This page needs a token</h1>
      <p>firstmover serve prints an address that contains one; firstmover token new makes further ones, for owners and readers.</p>
      <label for="token">Token</label>
      <input id="token" name="token" type="password" autocomplete="off" aria-describedby="wrong-token" required />
      ${complaint(words, "wrong-token")}
      <div class="buttons"><button class="primary">Open</button></div>
    </form>`,
  );
  byId("token").focus();
}

function link(href, words, current) {
  return html`<a href=${href} aria-current=${current ? "page" : nothing}>${words}</a>`;
}

function places(view, name) {
  const here = name === null ? `#/${view === "new" ? "begin" : view}` : null;
  const open = PLACES.filter(([href]) => role === "owner" || !["#/begin", "#/team"].includes(href));
  draw(open.map(([href, words]) => link(href, words, href === here)), byId("places"));
}

function bar(match, view) {
  const base = match && `#/match/${encodeURIComponent(match.name)}`;
  draw(
    match
      ? html`<p class="matchname">
            <strong>${match.name}</strong>${match.role === "reader" ? html`<span class="badge">read-only</span>` : nothing}
          </p>
          <nav aria-label="Match ${match.name}" class="tabs">
            ${Object.entries(TABS).map(([key, words]) => link(`${base}/${key}`, words, key === view))}
          </nav>`
      : nothing,
    byId("matchbar"),
  );
}

function themes() {
  const select = byId("theme");
  select.value = document.documentElement.dataset.theme || "auto";
  select.addEventListener("change", () => {
    if (select.value === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = select.value;
    localStorage.setItem("firstmover-theme", select.value);
    window.dispatchEvent(new CustomEvent("firstmover-theme"));
  });
}

/** Begin a session with a token; what the server says of it is shown by the view that comes next. */
function identify(token) {
  role = null;
  session = begin(token).then(
    () => {},
    (error) => {
      session = Promise.resolve();
      throw error;
    },
  );
  session.catch(() => {}); // the view that waits for it says so
}

function enterByAddress() {
  const token = tokenInAddress();
  if (token) identify(token);
}

enterByAddress();
themes();
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});
window.addEventListener("hashchange", () => {
  enterByAddress();
  show();
});
show();
