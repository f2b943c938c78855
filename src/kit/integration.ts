import type { z } from 'zod';
import type { Step } from './step.ts';
import type { Trigger } from './trigger.ts';
import type { Upstream, UpstreamDefinition } from './upstream.ts';

/** Who an account is at the service, as the service says it. */
export type Identity = {
  id: string;
  name: string;
  username?: string | undefined;
  address?: string | undefined;
};

/** One way to connect an account by typing its credential in. */
export type TypedAuth<Credential extends z.ZodObject = z.ZodObject> = {
  type: string;
  title: string;
  purpose: string;
  /** What the person types; every field of it is a secret. */
  credential: Credential;
  scopes: readonly string[];
  /** Asks the service who this is; a Fault means the credential does not work. */
  identify(upstream: Upstream): Promise<Identity>;
};

/** An integration: all that the rest of the house knows of one service. */
export type Integration = {
  name: string;
  title: string;
  purpose: string;
  auth: readonly TypedAuth[];
  upstream: UpstreamDefinition<unknown>;
  steps: readonly Step[];
  triggers: readonly Trigger[];
};

export const defineIntegration = <Credential>(
  integration: Omit<Integration, 'upstream'> & { upstream: UpstreamDefinition<Credential> },
): Integration => integration;

/** A step's place in the catalogue. */
export type CatalogueStep = Step & { id: string; integration: Integration };

/** All integrations, looked up by name and by step id. */
export class Catalogue {
  readonly integrations: readonly Integration[];
  readonly steps: readonly CatalogueStep[];
  readonly #byName: ReadonlyMap<string, Integration>;
  readonly #byId: ReadonlyMap<string, CatalogueStep>;

  constructor(integrations: readonly Integration[]) {
    this.integrations = integrations;
    this.steps = integrations.flatMap((integration) =>
      integration.steps.map((step) => ({ ...step, id: `${integration.name}.${step.name}`, integration })),
    );
    this.#byName = new Map(integrations.map((integration) => [integration.name, integration]));
    this.#byId = new Map(this.steps.map((step) => [step.id, step]));
  }

  integration(name: string): Integration | undefined {
    return this.#byName.get(name);
  }

  step(id: string): CatalogueStep | undefined {
    return this.#byId.get(id);
  }

  /** The search bar: words found in id, title, group or purpose; the integration's name lists all its actions. */
  search(query: string, integration?: string): CatalogueStep[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.steps.filter((step) => {
      if (integration !== undefined && step.integration.name !== integration) return false;
      const text = `${step.id} ${step.title} ${step.group} ${step.purpose} ${step.integration.title}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}
