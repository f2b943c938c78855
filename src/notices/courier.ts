import { Fault } from '#kit';
import { type Outside, type Receiver, type Reception, receiverUrl } from './receiver.ts';
import { newSecret, signedHeaders } from './signing.ts';

/** Brings single signed messages to addresses that people chose, once each; whoever asks keeps the tries. */
export type Courier = {
  /** Why an address is not called; `undefined` when it is. */
  addressProblem(url: string): string | undefined;
  newSecret(): string;
  bring(
    message: { url: string; id: string; at: Date; body: string; secrets: readonly string[] },
    signal: AbortSignal,
  ): Promise<Reception>;
};

export const createCourier = (options: { outside: Outside; receiver: Receiver }): Courier => {
  const { outside, receiver } = options;
  return {
    newSecret,
    addressProblem: (url) => {
      try {
        receiverUrl(url, outside);
        return undefined;
      } catch (error) {
        if (error instanceof Fault) return error.message.replace(/^url /, '');
        throw error;
      }
    },
    bring: ({ url, ...message }, signal) => receiver.post(url, signedHeaders(message), message.body, signal),
  };
};
