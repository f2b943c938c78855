/** An app registration: which programme may ask people for access, and where answers may go. */
export type AppRegistration = {
  clientId: string;
  name: string;
  /** A secret is needed at the token endpoint unless this is empty (a public client). */
  secrets: { value: string; expiresAt?: string | undefined }[];
  /** Exact addresses; `loopback` admits any http address on 127.0.0.1, ::1 or localhost. */
  redirectUris: string[];
  /** Single-page apps get refresh tokens that end after 24 hours. */
  spa?: boolean | undefined;
  audience: 'work' | 'personal' | 'both';
};

const switchboard: AppRegistration = {
  clientId: 'switchboard-sandbox',
  name: 'Switchboard',
  secrets: [{ value: 'sandbox-secret' }],
  redirectUris: ['loopback'],
  audience: 'both',
};

const loopback = /^https?:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/[^#]*)?$/i;

export class Apps {
  #apps = new Map<string, AppRegistration>();

  constructor() {
    this.reset();
  }

  reset(): void {
    this.#apps = new Map([[switchboard.clientId, structuredClone(switchboard)]]);
  }

  get(clientId: string): AppRegistration | undefined {
    return this.#apps.get(clientId);
  }

  put(app: AppRegistration): void {
    this.#apps.set(app.clientId, app);
  }

  list(): AppRegistration[] {
    return [...this.#apps.values()];
  }
}

export const isLoopback = (address: string): boolean => loopback.test(address);

export const admitsRedirect = (app: AppRegistration, address: string): boolean =>
  app.redirectUris.some((allowed) => allowed === address || (allowed === 'loopback' && isLoopback(address)));
