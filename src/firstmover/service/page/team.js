// The team: tokens by name and role, made and revoked by owners.

import { Acting } from "./acting.js";
import { confirmed } from "./dialogs.js";
import { announce } from "./dom.js";
import { moment } from "./format.js";
import { complaint, html, live, nothing, render as draw } from "./html.js";

const ROLES = {
  operator: "plays rounds: asks, records, corrects",
  owner: "also creates, changes and deletes matches, and makes tokens",
  reader: "sees results, never an action before it is played",
};
const PAGE = 1000;

export async function render(root, context) {
  if (!context.mayManage()) {
    draw(html`<h1 tabindex="-1">Team</h1><p class="card lead">Tokens are managed with an owner's token.</p>`, root);
    return;
  }
  const view = new Team(root, context);
  await view.refresh();
}

class Team extends Acting {
  constructor(root, context) {
    super(root, context);
    /** @type {import("../../../../web/api").components["schemas"]["TokenRow"][]} */
    this.tokens = [];
    this.given = { label: "", role: "operator", days: "" };
    this.secret = "";
  }

  async refresh() {
    this.tokens = (await this.context.api(`/tokens?limit=${PAGE}`)).tokens;
    this.draw();
  }

  make = (event) => {
    event.preventDefault();
    this.act(async () => {
      const { label, role, days } = this.given;
      const body = { label, role, ...(days ? { days: Number(days) } : {}) };
      this.secret = (await this.context.api("/tokens", { method: "POST", body })).token;
      this.given.label = "";
      announce("The token is made; it is shown only once.");
    });
  };

  revoke = ({ id, label }) =>
    this.act(async () => {
      const name = label || id;
      if (!(await confirmed(`Revoke ${name}?`, "Calls with it are refused at once.", "Revoke"))) return;
      await this.context.api(`/tokens/${id}`, { method: "DELETE" });
      announce(`${name} is revoked.`);
    });

  draw() {
    const row = (token) =>
      html`<tr>
        <th scope="row">${token.label || html`<span class="soft">without a name</span>`}</th>
        <td>${token.role}</td>
        <td>${moment(token.created)}</td>
        <td>${token.expires ? moment(token.expires) : "never"}</td>
        <td><button class="small" aria-label="Revoke ${token.label || token.id}" @click=${() => this.revoke(token)}>Revoke …</button></td>
      </tr>`;
    draw(
      html`<h1 tabindex="-1">Team</h1>
        ${complaint(this.wrong)}
        ${this.form()}
        ${this.secret
          ? html`<section class="card confidence sure" aria-label="The new token">
              <p>Give this address to its user; the token in it is shown only now:</p>
              <p class="code">${location.origin}/#token=${this.secret}</p>
            </section>`
          : nothing}
        <section class="card" aria-labelledby="tokens">
          <h2 id="tokens">Tokens</h2>
          <div class="scroll" tabindex="0" role="group" aria-label="All tokens">
            <table>
              <thead>
                <tr>${["name", "role", "made", "expires"].map((name) => html`<th scope="col">${name}</th>`)}<td></td></tr>
              </thead>
              <tbody>${this.tokens.map(row)}</tbody>
            </table>
          </div>
        </section>`,
      this.root,
    );
  }

  form() {
    const set = (name) => (event) => {
      this.given[name] = event.target.value;
      this.draw();
    };
    return html`<form class="card" @submit=${this.make}>
      <h2>A token for somebody</h2>
      <div class="field">
        <label for="token-label">Name</label>
        <input id="token-label" type="text" maxlength="80" autocomplete="off" required .value=${live(this.given.label)} @input=${set("label")} />
        <p class="hint">It stands beside everything that is recorded with the token.</p>
      </div>
      <fieldset class="field">
        <legend>Role</legend>
        <div class="choices wide">
          ${Object.entries(ROLES).map(
            ([role, words]) =>
              html`<label class="choice"
                ><input type="radio" name="role" .value=${role} .checked=${live(role === this.given.role)} @change=${set("role")} /><span
                  >${role}<span class="soft about">${words}</span></span
                ></label
              >`,
          )}
        </div>
      </fieldset>
      <div class="field">
        <label for="token-days">Valid for</label>
        <select id="token-days" @change=${set("days")}>
          ${[["", "ever"], ["1", "a day"], ["30", "30 days"], ["365", "a year"]].map(
            ([days, words]) => html`<option value=${days} .selected=${live(days === this.given.days)}>${words}</option>`,
          )}
        </select>
      </div>
      <div class="buttons"><button class="primary">Make the token</button></div>
    </form>`;
  }
}
