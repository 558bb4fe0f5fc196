// What was typed and not sent: kept in this browser until it is recorded, over another window's news and restarts.

const PREFIX = "firstmover-draft:";
const MOST = 50; // drafts that are kept; of more, the oldest ones end

const keyOf = (match, round) => `${PREFIX}${match}\n${round}`;

/** Keep the texts of a form; an empty one ends its draft. */
export function keepDraft(match, round, draft) {
  try {
    if (draft === null) localStorage.removeItem(keyOf(match, round));
    else localStorage.setItem(keyOf(match, round), JSON.stringify({ ...draft, at: Date.now() }));
    const kept = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    if (kept.length > MOST) oldest(kept).forEach((key) => localStorage.removeItem(key));
  } catch {
    // without storage a draft lasts as long as the page
  }
}

function oldest(keys) {
  const at = (key) => JSON.parse(localStorage.getItem(key) ?? "{}").at ?? 0;
  return keys.sort((one, other) => at(one) - at(other)).slice(0, keys.length - MOST);
}

/** The texts that were kept, or null. */
export function draftOf(match, round) {
  try {
    return JSON.parse(localStorage.getItem(keyOf(match, round)) ?? "null");
  } catch {
    return null;
  }
}
