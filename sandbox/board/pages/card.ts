import { html } from 'hono/html';
import type { Board, Card, Checklist, Member } from '../model.ts';
import { checklistsOf } from '../operations/checklists.ts';
import type { World } from '../world.ts';
import { dueBadge, labelsOf, membersOf } from './board.ts';
import { type Markup, type PageApi, page } from './layout.ts';

const checklist = (card: Card, { id, name, checkItems }: Checklist): Markup => html`<section class="checklist">
  <h2>${name} <small>${checkItems.filter(({ state }) => state === 'complete').length}/${checkItems.length}</small></h2>
  <ul>
    ${checkItems.map(
      (item) => html`<li>
        <form data-api="PUT /1/cards/${card.id}/checkItem/${item.id}" data-auto>
          <label>
            <input type="checkbox" name="state" value="complete" data-off="incomplete" ${item.state === 'complete' ? 'checked' : ''} />
            <span>${item.name}</span>
          </label>
        </form>
      </li>`,
    )}
  </ul>
  <form class="row" data-api="POST /1/checklists/${id}/checkItems">
    <input name="name" aria-label="New item in ${name}" placeholder="Add an item" required maxlength="500" />
    <button>Add</button>
  </form>
</section>`;

const comments = (world: World, card: Card): Markup => {
  const said = (world.actionsOf.get(card.id) ?? []).filter(({ type }) => type === 'commentCard').toReversed();
  return html`<ul class="comments">
    ${said.map(({ data, idMemberCreator, date }) => {
      const author = world.members.get(idMemberCreator);
      const when = new Date(date).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
      return html`<li>
        <span class="avatar small">${author?.initials ?? '?'}</span>
        <div>
          <p class="by"><strong>${author?.fullName ?? 'Someone'}</strong> <time datetime="${date}">${when}</time></p>
          <p class="text">${String(data['text'])}</p>
        </div>
      </li>`;
    })}
  </ul>`;
};

const labels = (world: World, card: Card, board: Board): Markup => html`<fieldset>
  <legend>Labels</legend>
  ${labelsOf(world, board).map((label) => {
    const on = card.idLabels.includes(label.id);
    const api = on ? `DELETE /1/cards/${card.id}/idLabels/${label.id}` : `POST /1/cards/${card.id}/idLabels`;
    return html`<form data-api="${api}" class="inline">
      ${on ? '' : html`<input type="hidden" name="value" value="${label.id}" />`}
      <button class="label c-${label.color ?? 'none'}" aria-pressed="${String(on)}">${label.name === '' ? (label.color ?? 'label') : label.name}</button>
    </form>`;
  })}
</fieldset>`;

const people = (world: World, card: Card, board: Board): Markup => html`<fieldset>
  <legend>Members</legend>
  ${membersOf(
    world,
    board.memberships.slice(0, 12).map(({ idMember }) => idMember),
  ).map((member) => {
    const on = card.idMembers.includes(member.id);
    const api = on ? `DELETE /1/cards/${card.id}/idMembers/${member.id}` : `POST /1/cards/${card.id}/idMembers`;
    return html`<form data-api="${api}" class="inline">
      ${on ? '' : html`<input type="hidden" name="value" value="${member.id}" />`}
      <button class="chip" aria-pressed="${String(on)}">${member.fullName}</button>
    </form>`;
  })}
</fieldset>`;

const attachments = (card: Card): Markup => html`<section>
  <h2>Attachments</h2>
  <ul class="links">
    ${card.attachments.map(
      ({ id, name, url, isUpload }) => html`<li>
        ${isUpload ? html`<span>${name}</span>` : html`<a href="${/^https?:/i.test(url) ? url : '#'}" rel="noreferrer noopener" target="_blank">${name}</a>`}
        <form data-api="DELETE /1/cards/${card.id}/attachments/${id}" class="inline">
          <button class="quiet" aria-label="Remove ${name}">Remove</button>
        </form>
      </li>`,
    )}
  </ul>
  <form class="row" data-api="POST /1/cards/${card.id}/attachments">
    <input type="url" name="url" aria-label="Link" placeholder="https://…" required />
    <button>Attach link</button>
  </form>
</section>`;

const move = (world: World, card: Card): Markup => html`<form class="row" data-api="PUT /1/cards/${card.id}">
  <label>List
    <select name="idList">
      ${world
        .listsIn(card.idBoard)
        .filter(({ closed }) => !closed)
        .map(({ id, name }) => html`<option value="${id}" ${id === card.idList ? 'selected' : ''}>${name}</option>`)}
    </select>
  </label>
  <label>Place
    <select name="pos"><option value="top">Top</option><option value="bottom">Bottom</option></select>
  </label>
  <button>Move</button>
</form>`;

export const cardPage = (world: World, card: Card, board: Board, member: Member, api: PageApi): Markup => {
  const due = card.due === null ? '' : card.due.slice(0, 16);
  return page({
    title: card.name,
    member,
    api,
    script: 'pages.js',
    body: html`<p class="crumb"><a href="/b/${board.shortLink}">← ${board.name}</a></p>
      <h1 class="visually-hidden">${card.name}</h1>
      <article id="card" class="sheet">
        <header>
          <form data-api="PUT /1/cards/${card.id}" data-auto class="title">
            <input name="name" value="${card.name}" aria-label="Card name" required maxlength="16384" />
          </form>
          <p class="muted">in <strong>${world.lists.get(card.idList)?.name ?? ''}</strong>${card.closed ? ' · archived' : ''} ${dueBadge(world, card)}</p>
        </header>
        <div class="columns">
          <div class="main">
            <form data-api="PUT /1/cards/${card.id}" class="stack">
              <label>Description <textarea name="desc" rows="4" maxlength="16384">${card.desc}</textarea></label>
              <button>Save description</button>
            </form>
            ${checklistsOf(world, card).map((one) => checklist(card, one))}
            ${attachments(card)}
            <section>
              <h2>Comments</h2>
              <form class="stack" data-api="POST /1/cards/${card.id}/actions/comments">
                <textarea name="text" rows="2" aria-label="Comment" placeholder="Write a comment" required maxlength="16384"></textarea>
                <button class="primary">Comment</button>
              </form>
              ${comments(world, card)}
            </section>
          </div>
          <aside>
            ${labels(world, card, board)} ${people(world, card, board)}
            <form data-api="PUT /1/cards/${card.id}" class="stack">
              <label>Due (UTC) <input type="datetime-local" name="due" value="${due}" data-date /></label>
              <label class="check"><input type="checkbox" name="dueComplete" value="true" data-off="false" ${card.dueComplete ? 'checked' : ''} /> Done</label>
              <button>Set due date</button>
            </form>
            <form class="row" data-api="POST /1/cards/${card.id}/checklists">
              <input name="name" aria-label="New checklist" placeholder="Checklist" required maxlength="500" />
              <button>Add</button>
            </form>
            ${move(world, card)}
            <form data-api="PUT /1/cards/${card.id}">
              <input type="hidden" name="closed" value="${String(!card.closed)}" />
              <button class="${card.closed ? '' : 'danger'}">${card.closed ? 'Send back to the board' : 'Archive this card'}</button>
            </form>
          </aside>
        </div>
      </article>`,
  });
};
