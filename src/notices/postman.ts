import { createTransport } from 'nodemailer';
import type { SmtpSettings } from '#config';

export type Letter = { id: string; to: { name: string; address: string }; subject: string; text: string };

/** Why a letter did not leave, and whether trying again can help. */
export class NotSent extends Error {
  readonly final: boolean;

  constructor(message: string, final: boolean) {
    super(message);
    this.final = final;
  }
}

/** Hands letters to the operator's mail server. */
export type Postman = { send(letter: Letter): Promise<void>; close(): void };

const patienceMs = 10_000;

const notSent = (error: unknown): NotSent => {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string };
  // A refused recipient stays refused; a refused sign-in is the operator's to mend.
  const final = code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500;
  return new NotSent((message ?? String(error)).slice(0, 300), final);
};

export const createPostman = ({ host, port, secure, auth, from }: SmtpSettings): Postman => {
  const transport = createTransport({
    pool: true,
    maxConnections: 2,
    host,
    port,
    secure,
    // A password never goes over an open line.
    ...(auth === undefined ? {} : { auth, requireTLS: !secure }),
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf('@') + 1).replace(/[^\w.-]/g, '');
  return {
    send: async ({ id, to, subject, text }) => {
      try {
        await transport.sendMail({
          from,
          to,
          subject,
          text,
          // The same at each try, so that a second copy can be known for one.
          messageId: `<${id}@${domain}>`,
          headers: { 'auto-submitted': 'auto-generated' },
        });
      } catch (error) {
        throw notSent(error);
      }
    },
    close: () => transport.close(),
  };
};
