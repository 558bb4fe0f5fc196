// Comma-separated values, as RFC 4180 has them; semicolons where the first line has those.

export function parse(text) {
  const clean = text.replace(/^\uFEFF/, "");
  const first = clean.split("\n", 1)[0];
  const comma = !first.includes(",") && first.includes(";") ? ";" : ",";
  /** @type {string[][]} */
  const rows = [[]];
  let [cell, quoted] = ["", false];
  const close = () => {
    rows[rows.length - 1].push(cell);
    cell = "";
  };
  for (let i = 0; i < clean.length; i += 1) {
    const c = clean[i];
    if (quoted && c === '"' && clean[i + 1] === '"') {
      cell += '"';
      i += 1;
    } else if (c === '"') quoted = !quoted;
    else if (!quoted && c === comma) close();
    else if (!quoted && c === "\n") {
      close();
      rows.push([]);
    } else if (quoted || c !== "\r") cell += c;
  }
  close();
  const filled = rows.filter((row) => row.length > 1 || row[0].trim() !== "");
  const [header = [], ...rest] = filled;
  return { header: header.map((name) => name.trim()), rows: rest };
}
