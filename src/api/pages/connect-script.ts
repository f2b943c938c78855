/**
 * The script of the pages on which connecting ends. It hands the fragment over, which never reaches a server by itself,
 * tells the page that opened the pop-up, and closes it. Only our own origin is told.
 */
export const connectScript = `
const node = document.getElementById('connect');
const { outcome, account, integration, next } = node.dataset;
if (outcome === 'fragment') {
  const brought = new URLSearchParams(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
  const form = node.querySelector('form');
  for (const name of ['token', 'error']) form.elements[name].value = brought.get(name) ?? '';
  form.submit();
} else if (next) {
  location.replace(next);
} else {
  const message = { type: 'switchboard.connect', outcome, account, integration };
  const channel = new BroadcastChannel('switchboard.connect');
  channel.postMessage(message);
  if (window.opener) {
    try {
      window.opener.postMessage(message, location.origin);
    } catch {}
    if (outcome === 'connected') window.close();
    // The page to go back to is behind the pop-up, not in it.
    document.querySelector('#back[data-leads=home]')?.addEventListener('click', (event) => {
      event.preventDefault();
      window.close();
    });
  }
}
`;
