import { channel } from 'node:diagnostics_channel';
import type { Server } from 'node:http';

export type Service = 'mail' | 'board' | 'model';

/** A server about to listen. Whoever records answers attaches to it here, and may ask for a moment to get ready. */
export type Opening = { service: Service; server: Server; waitFor: (ready: Promise<void>) => void };
export const openings = channel('switchboard.sandbox.opening');

export const announce = async (service: Service, server: Server): Promise<void> => {
  // A test run keeps its records there: none of its sandboxes may answer unseen.
  const wanted = process.env['SANDBOX_RECORD'];
  if (wanted !== undefined && wanted !== '' && !openings.hasSubscribers)
    throw new Error(
      'SANDBOX_RECORD is set, but nobody records here: start with --import sandbox/recording/recorder.ts.',
    );
  const waits: Promise<void>[] = [];
  const opening: Opening = { service, server, waitFor: (ready) => void waits.push(ready) };
  openings.publish(opening);
  await Promise.all(waits);
};
