// Server-sent events read by fetch, since EventSource cannot send a token; lost connections are opened again.

import { call } from "./api.js";

const PAUSES = [250, 500, 1000, 2000, 4000];
const SILENCE = 40_000; // heartbeats come every 15 s

/**
 * Follow one match until the signal aborts.
 * onChange() after every event; onState("live" | "gone" | "refused", refusal) when the connection changes.
 */
export async function follow(path, { signal, onChange, onState }) {
  let failures = 0;
  while (!signal.aborted) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    signal.addEventListener("abort", stop);
    try {
      const response = await call(path, { signal: attempt.signal, as: "response" });
      failures = 0;
      onState("live");
      await readEvents(response.body, attempt, onChange);
    } catch (error) {
      if (signal.aborted) return;
      const refused = [401, 403, 404].includes(error.status);
      if (refused) onState("refused", error);
      if (refused) return;
    } finally {
      signal.removeEventListener("abort", stop);
    }
    if (signal.aborted) return;
    if (failures > 0) onState("gone");
    await pause(PAUSES[Math.min(failures, PAUSES.length - 1)], signal);
    failures += 1;
  }
}

async function readEvents(stream, attempt, onChange) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const silent = window.setTimeout(() => attempt.abort(), SILENCE);
    const { value, done } = await reader.read().finally(() => window.clearTimeout(silent));
    if (done) return;
    const blocks = (text + value).replaceAll("\r\n", "\n").split("\n\n");
    text = blocks.pop() ?? "";
    if (blocks.some((block) => /^event: changed$/m.test(block))) onChange();
  }
}

/** @returns {Promise<void>} */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const done = () => {
      window.clearTimeout(timer);
      window.removeEventListener("online", done);
      document.removeEventListener("visibilitychange", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = window.setTimeout(done, milliseconds);
    window.addEventListener("online", done);
    document.addEventListener("visibilitychange", done);
    signal.addEventListener("abort", done);
  });
}
