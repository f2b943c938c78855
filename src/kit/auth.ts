import type { z } from 'zod';
import type { Upstream } from './upstream.ts';

/** Who an account is at the service, as the service says it. It never changes. */
export type Identity = {
  id: string;
  name: string;
  username?: string | undefined;
  address?: string | undefined;
  /** Whether an organisation or a person alone owns the account, where the service treats them differently. */
  kind?: 'work' | 'personal' | undefined;
};

/** What a person is asked to grant together. All but `standard` are asked for when they are needed. */
export type PermissionType = 'standard' | 'shared_mailboxes' | 'meetings_collaboration' | 'mailbox_settings';

type Described = { title: string; purpose: string };

type Identifies = {
  /** The secret that signs notifications for accounts connected this way, where the service signs them. */
  signingSecret?(credential: unknown, service: ServiceSettings): string | undefined;
  /** Asks the service who this is; a Fault `reconnect_needed` means that the credential does not work. */
  identify(upstream: Upstream): Promise<Identity>;
};

/** A credential that a person types in. */
export type TypedAuth = Described &
  Identifies & {
    way: 'typed';
    type: string;
    /** What is typed; every field of it is a secret. */
    credential: z.ZodObject;
    scopes: readonly string[];
    /** Where a person obtains it: registers an app, then grants it access. The key is added to `authorizeUrl`. */
    guide?(service: ServiceSettings): { registerUrl: URL; authorizeUrl: URL } | undefined;
  };

/** What an OAuth grant is kept as. `expiresAt` is milliseconds since 1970 by our clock. */
export type Grant = {
  accessToken: string;
  refreshToken?: string | undefined;
  expiresAt?: number | undefined;
  /** Of one that the service refuses: what it wants to be told at the next sign-in. */
  claims?: string | undefined;
};

/** Authorization code with PKCE, then refresh. */
export type OAuthAuth = Described &
  Identifies & {
    way: 'oauth2';
    type: 'oauth2';
    /** Asked for besides those of the permission types. */
    always: readonly string[];
    scopes: Readonly<Partial<Record<PermissionType, readonly string[]>>>;
    /** Further parameters of the authorize address. */
    authorizeParameters: Readonly<Record<string, string>>;
    tokenBody: 'form' | 'json';
    /** Granted scopes in our short spelling, from the token answer's `scope`. */
    readScopes(granted: string): string[];
    /** What signs requests, made of the grant. */
    toCredential(grant: Grant): unknown;
    /** Permission types that only an organisation's accounts can have; asking a personal one fails the whole sign-in. */
    workOnly?: readonly PermissionType[];
    /** What the id_token tells about the account beyond `identify`. */
    fromIdToken?(claims: Readonly<Record<string, unknown>>): Pick<Identity, 'kind'>;
    /** Ends the grant at the service, where it offers that. */
    revoke?(upstream: Upstream, credential: unknown): Promise<void>;
  };

/** A redirect that brings a token back in the fragment. */
export type FragmentAuth = Described &
  Identifies & {
    way: 'fragment';
    type: 'authorize';
    scopes: readonly string[];
    /** Where the person is sent; `returnUrl` already carries our own state. */
    authorizeUrl(options: { base: URL; appKey: string; appName: string; returnUrl: string }): URL;
    toCredential(options: { appKey: string; appSecret?: string | undefined; token: string }): unknown;
    /** Ends the token at the service, where it offers that. */
    revoke?(upstream: Upstream, credential: unknown): Promise<void>;
  };

export type AuthMethod = TypedAuth | OAuthAuth | FragmentAuth;

/** The operator's registration at a service, from the environment. */
export type ServiceSettings = {
  apiBase: URL;
  /** Where the service's own pages for people are. */
  pages?: URL;
  oauth?: {
    clientId: string;
    clientSecret?: string | undefined;
    authorizeUrl: URL;
    tokenUrl: URL;
    issuer?: string | undefined;
  };
  fragment?: { base: URL; appKey: string; appSecret?: string | undefined };
};
