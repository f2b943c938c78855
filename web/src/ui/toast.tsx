import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';

type Tone = 'good' | 'bad';
type Message = {
  id: number;
  text: string;
  tone: Tone;
  /** The one on top when it was said. */
  window: string | undefined;
};

const Say = createContext<{
  say: (text: string, tone?: Tone) => void;
  /** A window lies on top until it is left again. */
  enter: (window: string) => () => void;
}>({ say: () => {}, enter: () => () => {} });

const Said = createContext<{
  messages: readonly Message[];
  dismiss: (id: number) => void;
  windows: readonly string[];
}>({ messages: [], dismiss: () => {}, windows: [] });

const readingTime = (text: string): number => 4_000 + text.length * 50;

/**
 * Short messages at the edge of the screen, read out by screen readers. What is said while a window lies on top stands in it: behind
 * it, it is neither read out nor reached, and on a phone not seen.
 */
export const Toasts = ({ window }: { window?: string }) => {
  const { messages, dismiss, windows } = useContext(Said);
  const placeOf = (message: Message) => windows.find((each) => each === message.window);
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-20 z-50 grid justify-items-center gap-2 lg:bottom-6 cramped:bottom-4"
    >
      {messages
        .filter((message) => placeOf(message) === window)
        .map(({ id, text, tone }) => (
          <button
            key={id}
            type="button"
            onClick={() => dismiss(id)}
            className={`pointer-events-auto max-w-xl rounded-lg border px-4 py-2.5 text-left text-sm shadow-lg [overflow-wrap:anywhere] ${
              tone === 'bad' ? 'border-bad/40 bg-bad-soft text-bad' : 'border-line bg-raised text-ink'
            }`}
          >
            {text}
            <span className="sr-only"> Dismiss.</span>
          </button>
        ))}
    </div>
  );
};

export const ToastProvider = ({ children }: { children: ReactNode }) => {
  const [messages, setMessages] = useState<Message[]>([]);
  const [windows, setWindows] = useState<readonly string[]>([]);
  const last = useRef(0);
  const top = useRef<string>(undefined);
  top.current = windows.at(-1);
  const dismiss = useCallback((id: number) => setMessages((all) => all.filter((each) => each.id !== id)), []);
  const say = useCallback(
    (text: string, tone: Tone = 'good') => {
      last.current += 1;
      const id = last.current;
      setMessages((all) => [...all.slice(-3), { id, text, tone, window: top.current }]);
      setTimeout(() => dismiss(id), readingTime(text));
    },
    [dismiss],
  );
  const enter = useCallback((window: string) => {
    setWindows((all) => [...all, window]);
    return () => {
      setWindows((all) => all.filter((each) => each !== window));
      // When it is opened anew, what was said in it before is old.
      setMessages((all) => all.map((each) => (each.window === window ? { ...each, window: undefined } : each)));
    };
  }, []);
  const saying = useMemo(() => ({ say, enter }), [say, enter]);
  const said = useMemo(() => ({ messages, dismiss, windows }), [messages, dismiss, windows]);
  return (
    <Say value={saying}>
      <Said value={said}>
        {children}
        <Toasts />
      </Said>
    </Say>
  );
};

export const useToast = () => useContext(Say);
