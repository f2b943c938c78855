import { OpenAPIHono, z } from '@hono/zod-openapi';
import { integrationOf, isSetUp, type Services, scopesFor } from '#accounts';
import { type AuthMethod, type Catalogue, type CatalogueStep, type CatalogueTrigger, Fault, pageOf } from '#kit';
import { ById, Integration, Step, StepQuery, StepSummary, WholeQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation, page } from '../operation.ts';

const summarize = ({ id, integration, title, group, purpose, effect, deprecated }: CatalogueStep) => ({
  id,
  integration: integration.name,
  title,
  group,
  purpose,
  effect,
  ...(deprecated === undefined ? {} : { deprecated }),
});

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> => ({
  ...z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
});

const showTrigger = (trigger: CatalogueTrigger) => ({
  id: trigger.id,
  title: trigger.title,
  purpose: trigger.purpose,
  instant: trigger.kind === 'webhook',
  ...(trigger.kind === 'poll' ? { pollSeconds: trigger.every.seconds } : {}),
  config: jsonSchema(trigger.config, 'input'),
  event: jsonSchema(trigger.event, 'output'),
});

/** A way to connect, as this installation offers it. */
const showWay = (way: AuthMethod, service: Services[string] | undefined) => {
  const guide = way.way === 'typed' && service !== undefined ? way.guide?.(service) : undefined;
  return {
    type: way.type,
    title: way.title,
    purpose: way.purpose,
    permissionTypes: way.way === 'oauth2' ? Object.keys(way.scopes) : ['standard'],
    available: way.way === 'typed' || (service !== undefined && isSetUp(way, service)),
    ...(way.way === 'typed' ? { credential: jsonSchema(way.credential, 'input') } : {}),
    ...(guide && { guide: { registerUrl: guide.registerUrl.href, authorizeUrl: guide.authorizeUrl.href } }),
  };
};

export const catalogueRoutes = ({ catalogue, services }: { catalogue: Catalogue; services: Services }) => {
  // Made once, as the catalogue is code, and not before somebody asks.
  const shown = new Map<string, ReturnType<typeof showTrigger>[]>();
  const triggersOf = (name: string) => {
    const triggers =
      shown.get(name) ?? catalogue.triggers.filter((of) => of.integration.name === name).map(showTrigger);
    shown.set(name, triggers);
    return triggers;
  };
  return new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/integrations', {
        tag: 'Catalogue',
        summary: 'The integrations, how to connect them and what they can do',
        request: { query: WholeQuery },
        responses: { 200: page(Integration, 'All integrations.') },
      }),
      (c) => {
        const { items, ...rest } = pageOf(
          'integrations',
          catalogue.integrations,
          ({ name }) => name,
          c.req.valid('query'),
        );
        const shown = items.map(({ name, title, purpose, auth }) => ({
          name,
          title,
          purpose,
          auth: auth.map((way) => showWay(way, services[name])),
          steps: catalogue.search('', name).map(summarize),
          triggers: triggersOf(name),
        }));
        return c.json({ items: shown, ...rest }, 200);
      },
    )
    .openapi(
      operation('GET /v1/steps', {
        tag: 'Catalogue',
        summary: 'Search the steps',
        description:
          "Every word must occur in a step's name, group or purpose; an integration's name lists all its steps.",
        request: { query: StepQuery },
        responses: { 200: page(StepSummary, 'The steps that match, in the order of the catalogue.') },
      }),
      (c) => {
        const { query, integration, ...part } = c.req.valid('query');
        if (integration !== undefined) integrationOf(catalogue, integration);
        const found = catalogue.search(query, integration).map(summarize);
        return c.json(
          pageOf(['steps', query, integration], found, ({ id }) => id, part),
          200,
        );
      },
    )
    .openapi(
      operation('GET /v1/steps/{id}', {
        tag: 'Catalogue',
        summary: 'One step with the JSON Schema of its input and output',
        request: { params: ById },
        responses: { 200: json(Step, 'The step.') },
      }),
      (c) => {
        const step = catalogue.step(c.req.valid('param').id);
        if (step === undefined)
          throw new Fault('not_found', 'There is no such step; GET /v1/steps lists those there are.');
        const schemas = { input: jsonSchema(step.input, 'input'), output: jsonSchema(step.output, 'output') };
        return c.json({ ...summarize(step), scopes: scopesFor(step), ...schemas }, 200);
      },
    );
};
