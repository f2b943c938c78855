const root = document.querySelector('main');
const api = document.querySelector('meta[name="api"]')?.content.split(' ') ?? ['', ''];
const authorization = `OAuth oauth_consumer_key="${api[0]}", oauth_token="${api[1]}"`;
const dialog = document.querySelector('#dialog');

const say = (text) => {
  let note = document.querySelector('#note');
  if (!note) {
    note = document.createElement('p');
    note.id = 'note';
    note.setAttribute('role', 'alert');
    document.body.append(note);
  }
  note.textContent = text;
  setTimeout(() => note.remove(), 5000);
};

const call = async (target, body, headers = { authorization }) => {
  const [method, url] = target.split(' ');
  const json = method === 'DELETE' ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(url, { method, headers: { ...headers, 'content-type': 'application/json' }, ...json });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer;
};

const load = async (url) => new DOMParser().parseFromString(await (await fetch(url)).text(), 'text/html');

// What somebody is typing outlives a refresh, and so does where they type.
const replace = (place, ...fresh) => {
  const fields = 'form[data-api] :is(input, textarea):not([type=hidden], [type=checkbox])';
  const nameOf = (field) => `${field.form.dataset.api} ${field.name} ${field.getAttribute('aria-label')}`;
  const dirty = [...place.querySelectorAll(fields)].filter((field) => field.value !== field.defaultValue);
  const typed = new Map(dirty.map((field) => [nameOf(field), field.value]));
  const focused = place.contains(document.activeElement) && document.activeElement.matches(fields);
  const at = focused ? nameOf(document.activeElement) : null;
  place.replaceChildren(...fresh);
  for (const field of place.querySelectorAll(fields)) {
    if (typed.has(nameOf(field))) field.value = typed.get(nameOf(field));
    if (nameOf(field) === at) field.focus();
  }
};

const refreshPage = async () => {
  const fresh = (await load(location.href)).querySelector('main');
  const lists = document.querySelector('#lists');
  const newLists = fresh.querySelector('#lists');
  if (!lists || !newLists) return replace(root, ...fresh.childNodes);
  const left = lists.scrollLeft;
  replace(lists, ...newLists.childNodes);
  lists.scrollLeft = left;
};

const showCard = async (shortLink) => {
  const card = (await load(`/c/${shortLink}`)).querySelector('#card');
  if (!card) return;
  const close = document.createElement('button');
  close.className = 'close quiet';
  close.textContent = 'Close';
  close.addEventListener('click', () => dialog.close());
  replace(dialog, close, card);
  dialog.dataset.card = shortLink;
  if (!dialog.open) dialog.showModal();
};

const refresh = async () => {
  await refreshPage();
  if (dialog?.open) await showCard(dialog.dataset.card);
};

const valuesOf = (form) => {
  const values = Object.fromEntries(new FormData(form));
  for (const box of form.querySelectorAll('input[type=checkbox]')) {
    values[box.name] = box.checked ? box.value : box.dataset.off;
  }
  for (const field of form.querySelectorAll('input[data-date]')) {
    values[field.name] = field.value === '' ? null : `${field.value}:00.000Z`;
  }
  return values;
};

const attempt = async (work) => {
  try {
    await work();
  } catch (error) {
    say(error.message);
  }
};

const send = (form) =>
  attempt(async () => {
    if (form.dataset.control) {
      await call(form.dataset.control, JSON.parse(form.dataset.body), {});
      return refreshPage();
    }
    await call(form.dataset.api, valuesOf(form));
    if (form.dataset.api.startsWith('POST')) form.reset();
    await refresh();
  });

document.addEventListener('submit', (event) => {
  if (!event.target.dataset.api && !event.target.dataset.control) return;
  event.preventDefault();
  void send(event.target);
});

document.addEventListener('change', (event) => {
  const form = event.target.closest('form[data-auto]');
  if (form) void send(form);
});

document.addEventListener('click', (event) => {
  const copy = event.target.closest('[data-copy]');
  if (copy) {
    navigator.clipboard?.writeText(copy.dataset.copy).then(
      () => say('Copied.'),
      () => say('Select and copy it by hand.'),
    );
  }
  const link = event.target.closest('a[data-card]');
  if (!link || !dialog || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  void attempt(() => showCard(link.dataset.card));
});

let dragged = null;

const below = (list, y) =>
  [...list.querySelectorAll('.card:not(.dragged)')].find((card) => {
    const box = card.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });

const posAt = (card) => {
  const before = card.previousElementSibling ? Number(card.previousElementSibling.dataset.pos) : 0;
  const after = card.nextElementSibling ? Number(card.nextElementSibling.dataset.pos) : null;
  return after === null ? 'bottom' : (before + after) / 2;
};

document.addEventListener('dragstart', (event) => {
  dragged = event.target.closest?.('.card') ?? null;
  if (!dragged) return;
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData('text/plain', dragged.dataset.id);
  dragged.classList.add('dragged');
});

document.addEventListener('dragover', (event) => {
  const list = event.target.closest?.('.list[data-list]');
  if (!list || !dragged) return;
  event.preventDefault();
  list.querySelector('.cards').insertBefore(dragged, below(list, event.clientY) ?? null);
});

document.addEventListener('drop', (event) => {
  const list = event.target.closest?.('.list[data-list]');
  if (!list || !dragged) return;
  event.preventDefault();
  const card = dragged;
  void attempt(async () => {
    await call(`PUT /1/cards/${card.dataset.id}`, { idList: list.dataset.list, pos: posAt(card) });
    await refresh();
  });
});

document.addEventListener('dragend', () => {
  dragged?.classList.remove('dragged');
  dragged = null;
});

// What others do shows up by itself.
const board = document.querySelector('[data-board]');
if (board) {
  setInterval(async () => {
    if (document.hidden || dragged || document.activeElement?.matches('input, textarea, select')) return;
    const answer = await fetch(`/b/${board.dataset.board}/changes`).catch(() => undefined);
    if (!answer?.ok) return;
    const { changes } = await answer.json();
    if (String(changes) === board.dataset.live) return;
    board.dataset.live = String(changes);
    await refresh();
  }, 2000);
}
