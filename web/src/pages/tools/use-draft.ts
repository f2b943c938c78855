import { useEffect, useMemo, useState } from 'react';
import type { Tool } from '../../../../client/src/index.ts';
import { tabStore } from '../../data/browser-store.ts';
import { useSession } from '../../data/session.tsx';
import { type Draft, isSame, settled, toDraft } from './draft.ts';

type Kept = { draft: Draft; version: number | undefined; at: string };

const read = (place: string): Kept | undefined => {
  try {
    const kept = JSON.parse(tabStore.read(place) ?? '') as Kept | null;
    return Array.isArray(kept?.draft?.inputs) && Array.isArray(kept.draft.steps) ? kept : undefined;
  } catch {
    return undefined;
  }
};

/** The tool as it is being changed. It outlives a reload and the end of the session, for the same person in this tab. */
export const useDraft = (tool: Tool | undefined, start: Draft, slot: string) => {
  const { member, workspace } = useSession();
  const place = `switchboard tool ${workspace.id} ${member.id} ${slot}`;
  const [base, setBase] = useState(tool);
  const saved = useMemo(() => (base === undefined ? start : toDraft(base)), [base, start]);
  const [kept] = useState(() => {
    const found = read(place);
    return found === undefined || isSame(settled(found.draft), saved) ? undefined : found;
  });
  const [draft, setDraft] = useState(kept?.draft ?? saved);
  const [restoredAt, setRestoredAt] = useState(kept?.at);
  // A draft of an older version is still of that version when it comes back.
  const [version, setVersion] = useState(kept === undefined ? tool?.version : kept.version);
  const isDirty = !isSame(settled(draft), saved);

  useEffect(() => {
    if (isDirty) tabStore.keep(place, JSON.stringify({ draft, version, at: new Date().toISOString() }));
    else tabStore.forget(place);
  }, [draft, isDirty, place, version]);

  /** Begin again from what the server has. */
  const adopt = (next: Tool) => {
    setBase(next);
    setVersion(next.version);
    setDraft(toDraft(next));
    setRestoredAt(undefined);
  };
  const discard = () => {
    setDraft(saved);
    setVersion(base?.version);
    setRestoredAt(undefined);
  };
  const forget = () => tabStore.forget(place);
  return { draft, setDraft, base, version, isDirty, restoredAt, adopt, discard, forget };
};
