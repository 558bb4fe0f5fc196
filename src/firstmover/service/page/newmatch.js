// A new match: a template, its configuration to edit, and errors shown where they belong.

import { pathOf } from "./api.js";
import { announce, complain, complaint, freshId, h } from "./dom.js";

export async function render(root, { api, go, mayManage }) {
  if (!mayManage()) {
    root.replaceChildren(
      h("h1", { tabindex: "-1" }, "New match"),
      h("p", { class: "lead" }, "Your token only reads: a match is created with an owner's token."),
    );
    return;
  }
  const { templates } = await api("/templates");
  const text = editor();
  const name = nameField();
  const wrong = complaint(freshId("wrong"));
  const button = h("button", { class: "primary", type: "submit" }, "Begin the match");
  const choose = async (template) => {
    complain(wrong, "");
    try {
      text.set((await api(`/templates/${encodeURIComponent(template)}`)).toml);
    } catch (error) {
      complain(wrong, error.message);
    }
  };
  const create = async (event) => {
    event.preventDefault();
    [wrong, name.wrong, text.wrong].forEach((place) => complain(place, ""));
    if (!name.check()) return;
    button.disabled = true;
    try {
      await api(pathOf(name.value()), { method: "PUT", body: { toml: text.value() } });
      announce(`Match ${name.value()} is created.`);
      go(`#/match/${encodeURIComponent(name.value())}/today`);
    } catch (error) {
      refuse(error, { name, text, wrong });
    } finally {
      button.disabled = false;
    }
  };
  root.replaceChildren(
    h("h1", { tabindex: "-1" }, "New match"),
    h(
      "p",
      { class: "lead" },
      "Choose the template nearest to your game. It is valid as it is; its comments say what can be changed.",
    ),
    h(
      "form",
      { class: "newmatch", onsubmit: create, novalidate: true },
      pictures(templates, choose),
      name.element,
      text.element,
      wrong,
      h("div", { class: "buttons" }, button),
    ),
  );
  await choose(templates[0].name);
}

function pictures(templates, choose) {
  const group = freshId("template");
  return h(
    "fieldset",
    { class: "field" },
    h("legend", {}, "Template"),
    h(
      "div",
      { class: "choices wide" },
      templates.map((template, i) =>
        h(
          "label",
          { class: "choice" },
          h("input", {
            type: "radio",
            name: group,
            value: template.name,
            checked: i === 0,
            onchange: () => choose(template.name),
          }),
          h(
            "span",
            {},
            h("strong", {}, template.name),
            template.about ? h("span", { class: "soft" }, template.about) : null,
          ),
        ),
      ),
    ),
  );
}

function nameField() {
  const [id, wrongId, hintId] = [freshId("field"), freshId("wrong"), freshId("hint")];
  const wrong = complaint(wrongId);
  const input = h("input", {
    id,
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 80,
    "aria-describedby": `${hintId} ${wrongId}`,
    required: true,
  });
  const check = () => {
    const good = input.value.trim() !== "";
    complain(wrong, good ? "" : "Give the match a name.");
    input.setAttribute("aria-invalid", String(!good));
    if (!good) input.focus();
    return good;
  };
  input.addEventListener("input", () => complain(wrong, ""));
  return {
    wrong,
    check,
    value: () => input.value.trim(),
    focus: () => input.focus(),
    element: h(
      "div",
      { class: "field" },
      h("label", { for: id }, "Name"),
      input,
      h("p", { class: "hint", id: hintId }, "Such as “harbour 2027”; it cannot be changed later."),
      wrong,
    ),
  };
}

function editor() {
  const [id, wrongId] = [freshId("field"), freshId("wrong")];
  const wrong = complaint(wrongId);
  const area = h("textarea", {
    id,
    class: "code",
    rows: 22,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    "aria-describedby": wrongId,
  });
  return {
    wrong,
    value: () => area.value,
    set: (text) => {
      area.value = text;
    },
    element: h("div", { class: "field" }, h("label", { for: id }, "Configuration (TOML)"), wrong, area),
    /** Put the cursor where a sentence says that something is wrong, or on the first line that names the field. */
    point(words) {
      area.setAttribute("aria-invalid", "true");
      const line = /line (\d+)/.exec(words);
      const lines = area.value.split("\n");
      const at = line ? Number(line[1]) - 1 : lines.findIndex((entry) => namedIn(words, entry));
      area.focus();
      if (at < 0 || at >= lines.length) return;
      const start = lines.slice(0, at).join("\n").length + (at > 0 ? 1 : 0);
      area.setSelectionRange(start, start + lines[at].length);
      area.scrollTop = Math.max(0, (area.scrollHeight / lines.length) * (at - 4));
    },
  };
}

/** Whether a line of TOML sets the field that a refusal begins with. */
function namedIn(words, line) {
  const field = /([A-Za-z_]+) (?:is|has|needs|reaches|names)\b/.exec(words)?.[1];
  const set = /^\s*\[*\s*([A-Za-z_]+)/.exec(line)?.[1];
  return Boolean(field) && set === field;
}

function refuse(error, { name, text, wrong }) {
  if (error.kind === "conflict" || /^name is/.test(error.message)) {
    complain(name.wrong, error.message);
    name.focus();
  } else if (error.kind === "invalid") {
    complain(text.wrong, error.message);
    text.point(error.message);
  } else complain(wrong, error.message);
}
