import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';

type Tone = 'good' | 'bad';
type Message = { id: number; text: string; tone: Tone };

const Say = createContext<{ say: (text: string, tone?: Tone) => void }>({ say: () => {} });

const readingTime = (text: string): number => 4_000 + text.length * 50;

/** Short messages at the edge of the window, read out by screen readers. */
export const ToastProvider = ({ children }: { children: ReactNode }) => {
  const [messages, setMessages] = useState<Message[]>([]);
  const last = useRef(0);
  const dismiss = useCallback((id: number) => setMessages((all) => all.filter((each) => each.id !== id)), []);
  const say = useCallback(
    (text: string, tone: Tone = 'good') => {
      last.current += 1;
      const id = last.current;
      setMessages((all) => [...all.slice(-3), { id, text, tone }]);
      setTimeout(() => dismiss(id), readingTime(text));
    },
    [dismiss],
  );
  const value = useMemo(() => ({ say }), [say]);
  return (
    <Say value={value}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-4 bottom-20 z-50 grid justify-items-center gap-2 lg:bottom-6 cramped:bottom-4"
      >
        {messages.map(({ id, text, tone }) => (
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
    </Say>
  );
};

export const useToast = () => useContext(Say);
