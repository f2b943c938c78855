export type Tenant = { id: string; name: string; domain: string; kind: 'work' | 'personal' };

/** Somebody who can sign in, or a shared mailbox nobody signs in to (`password` empty). */
export type Person = {
  id: string;
  address: string;
  displayName: string;
  givenName: string;
  surname: string;
  jobTitle: string | null;
  password: string;
  kind: 'work' | 'personal';
  tenantId: string;
};

export const consumerTenantId = '9188040d-6c67-4c5b-b112-36a304b66dad';
