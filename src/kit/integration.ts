import { z } from 'zod';
import type { AuthMethod, ServiceSettings } from './auth.ts';
import { Fault } from './fault.ts';
import { bindCursors } from './list-cursor.ts';
import type { Picker } from './picker.ts';
import { nothingGiven, type Step } from './step.ts';
import type { Trigger } from './trigger.ts';
import type { UpstreamDefinition } from './upstream.ts';
import type { Watching } from './watching.ts';

/** An integration: all that the rest of the house knows of one service. */
export type Integration = {
  name: string;
  title: string;
  purpose: string;
  auth: readonly AuthMethod[];
  /** Where the service is; absent where the operator's settings say it. */
  service?: ServiceSettings;
  upstream: UpstreamDefinition<unknown>;
  steps: readonly Step[];
  triggers: readonly Trigger[];
  /** How triggers come to know what happens; absent where there are none. */
  watching?: Watching;
  pickers: readonly Picker[];
};

export const defineIntegration = <Credential>(
  integration: Omit<Integration, 'upstream'> & { upstream: UpstreamDefinition<Credential> },
): Integration => integration;

/** Where each service is: as the operator's settings say, or else as its integration does. */
export const servicesOf = (
  integrations: readonly Integration[],
  settings: Readonly<Record<string, ServiceSettings>>,
): Record<string, ServiceSettings> =>
  Object.fromEntries(
    integrations.map(({ name, service }) => {
      const found = settings[name] ?? service;
      if (found === undefined) throw new Error(`nothing says where the service of ${name} is: give it \`service\`.`);
      return [name, found];
    }),
  );

/** What every step that writes takes besides its own input. */
const writing = {
  idempotencyKey: z
    .string()
    .min(1)
    .max(200)
    .refine((key) => key.trim() !== '', 'must not be blank')
    .optional()
    .describe('Repeating a call with the same key answers from the first one instead of acting again.'),
  dryRun: z.boolean().optional().describe('Only show the exact request that would be sent; nothing is written.'),
};

/** What a step says of its own input, named as it stands in the request. */
const inInput = (error: unknown): unknown => {
  const fields = error instanceof Fault && error.code === 'invalid_input' ? error.details?.fields : undefined;
  if (!(error instanceof Fault) || fields === undefined) return error;
  const placed = fields.map(({ field, message }) => ({ field: `input.${field}`, message }));
  return new Fault(error.code, error.message, { details: { ...error.details, fields: placed }, cause: error.cause });
};

/** Carried out only with an input that says something, and nothing that contradicts itself. */
const checked =
  <Rest extends unknown[]>(step: Step, act: (input: unknown, ...rest: Rest) => Promise<unknown>) =>
  async (input: unknown, ...rest: Rest): Promise<unknown> => {
    try {
      const nothing = nothingGiven(step, input as Record<string, unknown>);
      if (nothing !== undefined) throw new Fault('invalid_input', nothing);
      step.check?.(input);
      return await act(input, ...rest);
    } catch (error) {
      throw inInput(error);
    }
  };

const runOf = (id: string, step: Step): Step['run'] => {
  const isList = 'cursor' in step.input.shape && !step.passThrough && !step.ownCursors;
  return checked(step, isList ? bindCursors(id, step.run) : step.run);
};

/** A step's place in the catalogue. */
export type CatalogueStep = Step & { id: string; integration: Integration };

/** A trigger's place in the catalogue. */
export type CatalogueTrigger = Trigger & {
  id: string;
  integration: Integration;
  /** Where the service's own pages for people are. */
  pages?: URL | undefined;
};

/** All integrations, looked up by name and by the ids of steps and triggers. */
export class Catalogue {
  readonly integrations: readonly Integration[];
  readonly steps: readonly CatalogueStep[];
  readonly triggers: readonly CatalogueTrigger[];
  readonly #byName: ReadonlyMap<string, Integration>;
  readonly #byId: ReadonlyMap<string, CatalogueStep>;
  readonly #triggerById: ReadonlyMap<string, CatalogueTrigger>;

  /** `services` tells where each is, as far as that matters for what is shown of it. */
  constructor(integrations: readonly Integration[], services: Readonly<Record<string, { pages?: URL }>> = {}) {
    this.integrations = integrations;
    this.steps = integrations.flatMap((integration) =>
      integration.steps.map((step) => ({
        ...step,
        id: `${integration.name}.${step.name}`,
        integration,
        run: runOf(`${integration.name}.${step.name}`, step),
        ...(step.gather === undefined ? {} : { gather: checked(step, step.gather) }),
        // Made strict once: an unknown field is refused, and compiling a schema takes longer than using it.
        input: (step.effect === 'read' ? step.input : step.input.extend(writing)).strict(),
      })),
    );
    this.triggers = integrations.flatMap((integration) =>
      integration.triggers.map((trigger) => ({
        ...trigger,
        id: `${integration.name}.${trigger.name}`,
        integration,
        config: trigger.config.strict(),
        pages: services[integration.name]?.pages,
      })),
    );
    this.#byName = new Map(integrations.map((integration) => [integration.name, integration]));
    this.#byId = new Map(this.steps.map((step) => [step.id, step]));
    this.#triggerById = new Map(this.triggers.map((trigger) => [trigger.id, trigger]));
  }

  integration(name: string): Integration | undefined {
    return this.#byName.get(name);
  }

  step(id: string): CatalogueStep | undefined {
    return this.#byId.get(id);
  }

  trigger(id: string): CatalogueTrigger | undefined {
    return this.#triggerById.get(id);
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
