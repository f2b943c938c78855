import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { browserStore } from '../data/browser-store.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const icons = { system: Monitor, light: Sun, dark: Moon };
const key = 'switchboard-theme';

const kept = (): Theme => themes.find((theme) => theme === browserStore.read(key)) ?? 'system';

export const applyTheme = (theme: Theme = kept()): void => {
  document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
};

/** Light, dark, or as the machine has it; kept in this browser. */
export const ThemeButton = () => {
  const [theme, setTheme] = useState(kept);
  const Icon = icons[theme];
  const change = () => {
    const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
    browserStore.keep(key, next);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" className="button button-bare px-2.5" onClick={change} title={`Theme: ${theme}`}>
      <Icon aria-hidden="true" className="size-4" />
      <span className="sr-only">Theme: {theme}. Change.</span>
    </button>
  );
};
