// What is new in the record of a match, for a notification.

/** What is new in a card since the one before: sentences for people, without the action of any round. */
export function news(before, card, advice, own) {
  const found = [];
  const { last } = card;
  if (before && last && last.closed !== before.closed && last.round_id !== own)
    found.push(`Round ${last.round_id} was ${last.status === "void" ? "declared void" : "recorded"} by somebody else.`);
  const names = (advice?.alarms ?? []).map(({ name, since }) => `${name}, since round ${since}`);
  if (before?.alarms) found.push(...names.filter((name) => !before.alarms.includes(name)).map((name) => `Alarm: ${name}.`));
  return { found, next: { closed: last?.closed ?? 0, alarms: advice ? names : before?.alarms ?? null } };
}
