import type { z } from 'zod';
import { isAutomatic, type WireHeaders } from '../message-headers.ts';

type Headers = z.output<typeof WireHeaders>;

/**
 * Whether a machine wrote it without being asked to: an absence note, a bounce, a receipt. A list that one can leave, or a
 * sender who only asks for no absence notes, is no such machine.
 */
export const isMachineMade = (headers: Headers, from: string | undefined): boolean => {
  const valueOf = (wanted: string) => headers?.find(({ name }) => name.toLowerCase() === wanted)?.value?.trim();
  return (
    isAutomatic(headers, from) ||
    /^all\b/i.test(valueOf('x-auto-response-suppress') ?? '') ||
    // Bounces come from nobody, so that they are never answered (RFC 5321, section 4.5.5).
    valueOf('return-path') === '<>' ||
    /^multipart\/report\b/i.test(valueOf('content-type') ?? '')
  );
};
