import { useEffect, useState } from 'react';

type State = 'checking' | 'ready' | 'not ready';

const looks: Record<State, string> = { checking: 'bg-edge', ready: 'bg-good', 'not ready': 'bg-bad' };

/** Whether the server can work, looked at again every few seconds. */
export const Readiness = () => {
  const [state, setState] = useState<State>('checking');

  useEffect(() => {
    const look = () =>
      fetch('/readyz', { cache: 'no-store' }).then(
        ({ ok: ready }) => setState(ready ? 'ready' : 'not ready'),
        () => setState('not ready'),
      );
    void look();
    const timer = setInterval(() => void look(), 5_000);
    return () => clearInterval(timer);
  }, []);

  return (
    <p role="status" className="flex items-center gap-2 text-sm">
      <span aria-hidden="true" className={`size-2.5 rounded-full ${looks[state]}`} />
      Server: {state}
    </p>
  );
};
