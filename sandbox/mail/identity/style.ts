/** The look of sign-in and consent: one card in the middle, the whole screen on a phone. */
export const style = `
:root { --back: #f2f2f2; --card: #fff; --text: #1b1b1b; --soft: #5d5d5d; --line: #8a8886; --blue: #0067b8; --blue-text: #fff; --red: #c50f1f; --hover: #ececec; --tag: #b45309; }
@media (prefers-color-scheme: dark) { :root { --back: #1b1a19; --card: #292827; --text: #f3f2f1; --soft: #c8c6c4; --line: #a19f9d; --blue: #4ba3e3; --blue-text: #06131d; --red: #ff99a4; --hover: #3b3a39; --tag: #f5b266; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; background: var(--back); color: var(--text); font: 15px/1.4 'Segoe UI', system-ui, -apple-system, Roboto, Helvetica, Arial, sans-serif; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 16px; padding: 24px 16px; }
main { width: 100%; max-width: 440px; background: var(--card); padding: 40px 44px; box-shadow: 0 2px 6px rgb(0 0 0 / 20%); overflow-wrap: anywhere; }
.brand { display: flex; align-items: center; gap: 8px; font-size: 18px; font-weight: 600; color: var(--soft); }
.brand svg { width: 22px; height: 22px; }
.brand em { margin-left: auto; font-style: normal; font-size: 12px; color: var(--tag); border: 1px solid currentcolor; border-radius: 10px; padding: 3px 8px; }
h1 { font-size: 24px; line-height: 28px; font-weight: 600; margin: 16px 0 12px; }
.who { display: flex; align-items: center; gap: 6px; margin: 16px 0 -6px; color: var(--text); }
.who button { border: 0; background: none; color: inherit; font: inherit; cursor: pointer; padding: 2px 6px; border-radius: 12px; }
.who button:hover { background: var(--hover); }
label { display: block; }
.field { width: 100%; border: 0; border-bottom: 1px solid var(--line); background: transparent; color: inherit; font: inherit; padding: 6px 0; margin-top: 4px; border-radius: 0; }
.field:focus { outline: 0; border-bottom: 2px solid var(--blue); padding-bottom: 5px; }
.mistake { color: var(--red); margin: 0 0 12px; }
.soft { color: var(--soft); font-size: 13px; }
.buttons { display: flex; justify-content: flex-end; gap: 8px; margin-top: 24px; flex-wrap: wrap; }
.buttons button, .main { min-width: 108px; min-height: 34px; padding: 4px 12px; border: 0; font: inherit; cursor: pointer; background: rgb(128 128 128 / 28%); color: inherit; }
/* The main button comes first for the Enter key and stands last. */
.buttons .main { order: 1; background: var(--blue); color: var(--blue-text); }
button:focus-visible, a:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
a { color: var(--blue); }
ul.people { list-style: none; margin: 8px -44px 0; padding: 0; }
ul.people button { width: 100%; display: flex; gap: 12px; align-items: center; text-align: left; border: 0; background: none; color: inherit; font: inherit; padding: 10px 44px; cursor: pointer; }
ul.people button:hover, ul.people button:focus-visible { background: var(--hover); outline-offset: -2px; }
ul.people b { display: block; font-weight: 600; }
.face { flex: none; width: 40px; height: 40px; border-radius: 50%; display: grid; place-items: center; background: var(--hover); font-weight: 600; }
aside { width: 100%; max-width: 440px; background: var(--card); padding: 16px 44px; box-shadow: 0 2px 6px rgb(0 0 0 / 20%); border-top: 3px solid var(--tag); }
aside h2 { margin: 0; font-size: 14px; }
details { border-bottom: 1px solid rgb(128 128 128 / 28%); }
summary { cursor: pointer; padding: 9px 0; font-weight: 600; }
details p { margin: 0 0 10px 16px; color: var(--soft); font-size: 13px; }
code { font-size: 12px; overflow-wrap: anywhere; white-space: pre-wrap; }
@media (max-width: 600px) {
  body { justify-content: flex-start; padding: 0; gap: 0; background: var(--card); }
  main, aside { max-width: none; box-shadow: none; padding: 24px; }
  ul.people { margin: 8px -24px 0; } ul.people button { padding: 12px 24px; }
  .buttons button { min-height: 44px; flex: 1; }
}
`;
