import { Problem } from './states.tsx';

/** Choices that could not be read: why, and the way to ask again. Those that were read before are good enough. */
export const Unread = ({ of }: { of: { data: unknown; error: unknown; refetch: () => unknown } }) =>
  of.data === undefined ? <Problem error={of.error} retry={() => void of.refetch()} /> : null;
