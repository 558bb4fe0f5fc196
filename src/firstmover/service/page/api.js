// Calls to the service with the token of this window.

const KEY = "firstmover-token";
export const GONE =
  "The server is unreachable: start it again with firstmover serve. This page reconnects by itself, and nothing recorded is lost.";

export function token() {
  return sessionStorage.getItem(KEY) || "";
}

export function keepToken(value) {
  if (value) sessionStorage.setItem(KEY, value);
  else sessionStorage.removeItem(KEY);
}

/** Take the token out of the address, so that it is neither bookmarked nor shown. */
export function takeToken() {
  const given = /^#token=([^&]+)/.exec(location.hash);
  if (!given) return;
  keepToken(decodeURIComponent(given[1]));
  const rest = location.hash.split("&").slice(1).join("&");
  history.replaceState(null, "", rest.startsWith("/") ? `#${rest}` : "#/");
}

/** An error of the service: its kind, its message, and both values of a conflict. */
export class Refusal extends Error {
  constructor(status, { kind, message, recorded = null, given = null }) {
    super(message);
    Object.assign(this, { status, kind, recorded, given });
  }
}

/**
 * Call the service; what it refuses is raised as a Refusal.
 * @param {string} path
 * @param {{method?: string, body?: unknown, signal?: AbortSignal, as?: "json" | "blob" | "response"}} [options]
 * @returns {Promise<any>}
 */
export async function call(path, { method = "GET", body, signal, as = "json" } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${token()}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/v1${path}`, {
      method,
      headers,
      signal,
      cache: "no-store",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    window.dispatchEvent(new CustomEvent("firstmover-gone"));
    throw new Refusal(0, { kind: "gone", message: GONE });
  }
  if (!response.ok) throw await refusal(response);
  if (as === "response") return response;
  return as === "blob" ? response.blob() : response.json();
}

async function refusal(response) {
  const fallback = { kind: "invalid", message: `The server answered ${response.status}: look at what it printed.` };
  try {
    const { error } = await response.json();
    return new Refusal(response.status, error && error.message ? error : fallback);
  } catch {
    return new Refusal(response.status, fallback);
  }
}

/** The path of a match, or of something below it; names are data and are encoded. */
export function pathOf(match, ...rest) {
  return ["/matches", match, ...rest].map((part, i) => (i === 0 ? part : encodeURIComponent(part))).join("/");
}

/** Fetch something and hand it to the browser as a file. */
export async function download(path, name) {
  const blob = await call(path, { as: "blob" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
