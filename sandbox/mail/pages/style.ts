/** The look of the mailbox pages: three panes on a desk, one at a time on a phone. */
export const style = `
:root { --back: #f5f4f2; --card: #fff; --text: #1c1917; --soft: #57534e; --line: #dedbd7; --main: #0f5fa8; --main-text: #fff; --pick: #e3eefa; --hover: #efedea; --tag: #b45309; --bad: #b91c1c; }
@media (prefers-color-scheme: dark) { :root { --back: #171514; --card: #211f1d; --text: #f2f0ee; --soft: #b3ada7; --line: #3b3734; --main: #7cb8f0; --main-text: #0b1a28; --pick: #20364b; --hover: #2c2927; --tag: #fbbf24; --bad: #fca5a5; } }
* { box-sizing: border-box; }
html { height: 100%; }
body { margin: 0; height: 100%; display: flex; flex-direction: column; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
a { color: var(--main); }
h1 { font-size: 20px; margin: 0 0 12px; } h2 { font-size: 16px; margin: 0 0 8px; }
.soft { color: var(--soft); font-size: 13px; } .bad { color: var(--bad); }
button, .button { font: inherit; min-height: 36px; padding: 6px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--text); cursor: pointer; text-decoration: none; display: inline-block; }
button:hover, .button:hover { background: var(--hover); }
button.main, .button.main { background: var(--main); color: var(--main-text); border-color: transparent; font-weight: 600; }
:focus-visible { outline: 2px solid var(--main); outline-offset: 1px; }
input, select, textarea { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 7px 9px; min-height: 36px; max-width: 100%; }
header { display: flex; align-items: center; gap: 4px 14px; flex-wrap: wrap; padding: 8px 16px; background: var(--card); border-bottom: 1px solid var(--line); }
header .name { font-weight: 700; } header nav { display: flex; gap: 12px; }
header a { color: inherit; text-decoration: none; padding: 4px 2px; } header a[aria-current] { border-bottom: 2px solid var(--main); }
header .who { margin-left: auto; display: flex; gap: 8px; align-items: center; }
.label { font-size: 12px; font-weight: 600; color: var(--tag); border: 1px solid; border-radius: 10px; padding: 1px 8px; }
main.page { width: 100%; max-width: 900px; margin: 0 auto; padding: 20px 16px 48px; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 0 0 14px; }
main.mail { flex: 1; min-height: 0; display: grid; grid-template-columns: 220px minmax(280px, 380px) 1fr; }
.folders, .list, .reading { overflow: auto; min-width: 0; }
.folders { padding: 12px 8px; border-right: 1px solid var(--line); }
.folders a { display: flex; justify-content: space-between; gap: 8px; padding: 7px 10px; border-radius: 6px; color: inherit; text-decoration: none; }
.folders a:hover { background: var(--hover); } .folders a[aria-current] { background: var(--pick); font-weight: 600; }
.folders .in { padding-left: 26px; } .folders .button.main { display: block; text-align: center; margin: 0 0 10px; color: var(--main-text); justify-content: center; }
.list { background: var(--card); border-right: 1px solid var(--line); }
.list h1 { padding: 14px 16px 0; margin: 0 0 8px; }
.list ol { list-style: none; margin: 0; padding: 0; }
.list li a { display: block; padding: 9px 16px; border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; border-left: 3px solid transparent; }
.list li a:hover { background: var(--hover); } .list li a[aria-current] { background: var(--pick); }
.list li.unread a { border-left-color: var(--main); } .list li.unread .from, .list li.unread .subject { font-weight: 700; }
.list .top { display: flex; justify-content: space-between; gap: 8px; } .list .top span:first-child, .list .subject, .list .preview { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.list .subject, .list .preview { display: block; } .list .when { flex: none; }
.list .more { padding: 12px 16px; display: flex; gap: 8px; }
.reading { padding: 16px 20px; display: flex; flex-direction: column; overflow-wrap: anywhere; }
.reading dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 10px; margin: 0 0 10px; } .reading dt { color: var(--soft); } .reading dd { margin: 0; }
.actions { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 12px; } .actions form { display: flex; gap: 6px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 10px; } .chip { border: 1px solid var(--line); border-radius: 12px; padding: 2px 10px; font-size: 13px; color: inherit; text-decoration: none; background: var(--card); }
iframe { flex: 1; width: 100%; min-height: 320px; border: 1px solid var(--line); border-radius: 8px; background: #fff; color-scheme: light; }
.compose label, .stack label { display: block; margin: 0 0 10px; } .compose input:not([type=file]), .compose textarea { width: 100%; display: block; } .compose textarea { min-height: 220px; resize: vertical; }
.stack { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; } .stack label { margin: 0; font-size: 13px; color: var(--soft); } .stack input, .stack select { display: block; color: var(--text); }
.stack input[type=checkbox] { display: inline; min-height: 0; vertical-align: middle; }
.people { list-style: none; padding: 0; margin: 0; } .people button { width: 100%; text-align: left; margin: 0 0 8px; padding: 10px 14px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 13px; } th, td { text-align: left; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td pre, .card pre { margin: 0; white-space: pre-wrap; font-size: 13px; }
.clip { width: 14px; height: 14px; vertical-align: -2px; }
.back { display: none; }
@media (max-width: 860px) {
  body { height: auto; min-height: 100%; }
  main.mail { display: block; }
  .folders { border: 0; display: flex; gap: 4px; overflow-x: auto; padding: 8px 12px; } .folders a { flex: none; align-items: center; } .folders .in { padding-left: 10px; } .folders .button.main { margin: 0; }
  .list { border: 0; overflow: visible; }
  .mail.read .list, .mail.read .folders, .mail.browse .reading { display: none; }
  .reading { padding: 12px 16px 24px; min-height: 85vh; } .back { display: inline-block; margin-bottom: 8px; }
  iframe { min-height: 50vh; } button, .button { min-height: 44px; } .button { line-height: 30px; }
}
`;
