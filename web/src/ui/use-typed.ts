import { useState } from 'react';
import { useUnsaved } from './unsaved.tsx';

/**
 * What a field shows: what is saved, also when somebody else saves it meanwhile, until something else is typed. `isOld`: what was saved has
 * changed since that was begun. The page around it knows that it is not saved.
 */
export const useTyped = <Value>(saved: Value) => {
  const [typed, setTyped] = useState<{ value: Value; over: Value }>();
  const isTyped = typed !== undefined && typed.value !== saved;
  useUnsaved(isTyped);
  return {
    value: typed === undefined ? saved : typed.value,
    set: (value: Value) => setTyped({ value, over: typed === undefined ? saved : typed.over }),
    isTyped,
    isOld: isTyped && typed.over !== saved,
    forget: () => setTyped(undefined),
  };
};
