import { html } from 'hono/html';
import type { Board, Card, Label, List, Member } from '../model.ts';
import type { World } from '../world.ts';
import { type Markup, type PageApi, page } from './layout.ts';

const day = 86_400_000;

const lines = 'M4 6h16M4 12h16M4 18h9';
const bubble = 'M4 5h16v11H10l-4 4v-4H4z';
const clip = 'M8 12l6-6a3 3 0 0 1 4 4l-8 8a5 5 0 0 1-7-7l7-7';
const tick = 'M4 4h16v16H4zM8 12l3 3 5-6';
const icon = (path: string): Markup =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" /></svg>`;

export const labelsOf = (world: World, { idLabels }: { idLabels: string[] }): Label[] =>
  idLabels.map((id) => world.labels.get(id)).filter((label) => label !== undefined);

export const membersOf = (world: World, ids: string[]): Member[] =>
  ids.map((id) => world.members.get(id)).filter((member) => member !== undefined);

export const dueBadge = (world: World, { due, dueComplete }: Card): Markup | '' => {
  if (due === null) return '';
  const left = Date.parse(due) - world.clock.now();
  const state = dueComplete ? 'done' : left < 0 ? 'late' : left < 2 * day ? 'soon' : '';
  const date = new Date(due).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const spoken = { done: 'done', late: 'overdue', soon: 'due soon', '': 'due' }[state];
  return html`<span class="badge due ${state}" title="Due, ${spoken}">
    <span class="visually-hidden">${spoken}</span>${date}
  </span>`;
};

const items = (world: World, card: Card): { all: number; done: number } => {
  const every = card.idChecklists.flatMap((id) => world.checklists.get(id)?.checkItems ?? []);
  return { all: every.length, done: every.filter(({ state }) => state === 'complete').length };
};

const cardTile = (world: World, card: Card): Markup => {
  const { all, done } = items(world, card);
  const labels = labelsOf(world, card);
  return html`<li class="card ${card.cover.color ? `cover-${card.cover.color}` : ''}" draggable="true" data-id="${card.id}" data-pos="${card.pos}">
    <a href="/c/${card.shortLink}" data-card="${card.shortLink}">
      ${labels.length === 0 ? '' : html`<span class="labels">${labels.map((label) => html`<span class="label c-${label.color ?? 'none'}">${label.name}</span>`)}</span>`}
      <span class="name">${card.name}</span>
    </a>
    <span class="badges">
      ${dueBadge(world, card)}
      ${card.desc === '' ? '' : html`<span class="badge" title="Has a description">${icon(lines)}</span>`}
      ${card.comments === 0 ? '' : html`<span class="badge" title="Comments">${icon(bubble)} ${card.comments}</span>`}
      ${card.attachments.length === 0 ? '' : html`<span class="badge" title="Attachments">${icon(clip)} ${card.attachments.length}</span>`}
      ${all === 0 ? '' : html`<span class="badge ${done === all ? 'due done' : ''}" title="Checklist items">${icon(tick)} ${done}/${all}</span>`}
      <span class="faces">
        ${membersOf(world, card.idMembers).map(({ initials, fullName }) => html`<span class="avatar small" title="${fullName}">${initials}</span>`)}
      </span>
    </span>
  </li>`;
};

const column = (world: World, list: List): Markup => {
  const cards = world.cardsIn(list.id).filter(({ closed }) => !closed);
  return html`<section class="list" data-list="${list.id}" aria-label="${list.name}">
    <h2>${list.name} <span class="count">${cards.length}</span></h2>
    <ol class="cards">
      ${cards.slice(0, 200).map((card) => cardTile(world, card))}
    </ol>
    ${cards.length > 200 ? html`<p class="muted">and ${cards.length - 200} more</p>` : ''}
    <form class="add" data-api="POST /1/cards">
      <input type="hidden" name="idList" value="${list.id}" />
      <input name="name" aria-label="New card in ${list.name}" placeholder="Add a card" required maxlength="500" />
      <button>Add</button>
    </form>
  </section>`;
};

export const boardPage = (world: World, board: Board, member: Member, api: PageApi): Markup =>
  page({
    title: board.name,
    member,
    api,
    script: 'pages.js',
    board: 'on-board',
    body: html`<div class="board" data-board="${board.id}" data-live="${board.changes}">
      <div class="board-head">
        <h1>${board.name}</h1>
        <span class="faces">
          ${membersOf(
            world,
            board.memberships.slice(0, 8).map(({ idMember }) => idMember),
          ).map(({ initials, fullName }) => html`<span class="avatar" title="${fullName}">${initials}</span>`)}
        </span>
        <a class="quiet" href="/b/${board.shortLink}.json">JSON</a>
      </div>
      <div class="lists" id="lists" tabindex="0" aria-label="Lists">
        ${world
          .listsIn(board.id)
          .filter(({ closed }) => !closed)
          .map((list) => column(world, list))}
        <form class="list new" data-api="POST /1/lists">
          <input type="hidden" name="idBoard" value="${board.id}" />
          <input type="hidden" name="pos" value="bottom" />
          <input name="name" aria-label="New list" placeholder="Add a list" required maxlength="500" />
          <button>Add</button>
        </form>
      </div>
      <dialog id="dialog" aria-label="Card"></dialog>
    </div>`,
  });
