// Calls to the service in the session of this browser: the token is in a cookie that scripts cannot read.

export const GONE =
  "The server is unreachable: start it again with firstmover serve. This page reconnects by itself, and nothing recorded is lost.";

/** The token in the address, which is taken out of it, so that it is neither bookmarked nor shown; empty if none. */
export function tokenInAddress() {
  const given = /^#token=([^&]+)/.exec(location.hash);
  if (!given) return "";
  const rest = location.hash.split("&").slice(1).join("&");
  history.replaceState(null, "", rest.startsWith("/") ? `#${rest}` : "#/");
  return decodeURIComponent(given[1]);
}

/**
 * Begin a session with a token; all tabs of the browser have it.
 * @param {string} token
 * @returns {Promise<{role: string, name: string}>}
 */
export function begin(token) {
  return call("/session", { method: "POST", token });
}

/** An error of the service: its kind, its sentence, the field that it is about, and both values of a conflict. */
export class Refusal extends Error {
  constructor(status, { type = "", detail, pointer = "", recorded = null, given = null }) {
    super(detail);
    Object.assign(this, { status, kind: type.split(":").at(-1), pointer, recorded, given });
  }
}

/**
 * Call the service; what it refuses is raised as a Refusal.
 * @param {string} path
 * @param {{method?: string, body?: unknown, signal?: AbortSignal, as?: "json" | "blob" | "response", token?: string}} [options]
 * @returns {Promise<any>}
 */
export async function call(path, { method = "GET", body, signal, as = "json", token } = {}) {
  /** @type {Record<string, string>} */
  const headers = { "X-Firstmover-Page": "1" };
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
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
    throw new Refusal(0, { type: "gone", detail: GONE });
  }
  if (!response.ok) throw await refusal(response);
  if (as === "response") return response;
  return as === "blob" ? response.blob() : response.json();
}

async function refusal(response) {
  const fallback = { type: "invalid", detail: `The server answered ${response.status}: look at what it printed.` };
  try {
    const problem = await response.json();
    return new Refusal(response.status, problem.detail ? problem : fallback);
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
