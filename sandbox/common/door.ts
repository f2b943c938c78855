import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Asked } from './asked.ts';
import type { Fault } from './faults.ts';
import type { Control, FaultBody } from './server.ts';

/** Headers are name, value, name, value, as they are written. */
export type Answered = { status: number; headers: string[]; body: string | Uint8Array | undefined };

/** An API that answers straight to the wire: most of what a sandbox is asked, so it pays for no framework. */
export type Door<Arrival = unknown> = {
  /** Whether an address is behind this door; everything else is for the pages. */
  opens: (url: string) => boolean;
  /** A request has come, before any fault delays it. */
  enter: (asked: Asked) => Arrival;
  answer: (asked: Asked, arrival: Arrival) => Answered | Promise<Answered>;
  leave: (arrival: Arrival) => void;
};

export type DoorListener = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

const bodyless = (status: number): boolean => status === 204 || status === 304;

const send = (outgoing: ServerResponse, { status, headers, body }: Answered): void => {
  if (outgoing.destroyed) return;
  if (!bodyless(status)) headers.push('Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body)));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
};

/** Logs every request behind the door and lets faults strike, as `watchRequests` does for the pages. */
export const watchDoor = <Arrival>(control: Control, faultBody: FaultBody, door: Door<Arrival>): DoorListener => {
  const failed = (status: number, fault?: Fault): Answered => {
    const { body, contentType } = faultBody(status);
    const retryAfter = fault?.retryAfter === undefined ? [] : ['Retry-After', String(fault.retryAfter)];
    return { status, headers: ['Content-Type', contentType, ...retryAfter], body };
  };

  /** Nothing means that the line is cut. */
  const struck = async (fault: Fault, asked: Asked, arrival: Arrival): Promise<Answered | undefined> => {
    if (fault.kind === 'status') return failed(fault.status ?? 503, fault);
    if (fault.kind === 'reset') return undefined;
    if (fault.kind === 'latency') await sleep(fault.ms ?? 1000);
    const answered = await door.answer(asked, arrival);
    if (fault.kind !== 'accept_then') return answered;
    if (fault.ms !== undefined) await sleep(fault.ms);
    return fault.status === undefined ? undefined : failed(fault.status, fault);
  };

  return (incoming, outgoing) => {
    const asked = Asked.from(incoming);
    if (asked === undefined || !door.opens(asked.url)) return false;
    const started = performance.now();
    const at = control.clock.now();
    const { method, url } = asked;
    const arrival = door.enter(asked);
    const end = (answered: Answered | undefined): void => {
      door.leave(arrival);
      const ms = performance.now() - started;
      control.log.add({ at, method, path: url, status: answered?.status ?? 0, user: asked.user, ms });
      if (answered === undefined) incoming.socket.destroy();
      else send(outgoing, answered);
    };
    const bug = (error: unknown): void => {
      // Whoever hangs up in the middle of a request has done no harm.
      if (incoming.socket.destroyed) return end(undefined);
      process.emitWarning(error instanceof Error ? error : String(error));
      end(failed(500));
    };
    const fault = control.faults.strike(method, url);
    try {
      const answered = fault === undefined ? door.answer(asked, arrival) : struck(fault, asked, arrival);
      if (answered instanceof Promise) answered.then(end, bug);
      else end(answered);
    } catch (error) {
      bug(error);
    }
    return true;
  };
};
