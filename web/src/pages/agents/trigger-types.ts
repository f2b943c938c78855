import { useMemo } from 'react';
import type { Answer } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';

type Integration = Answer<'GET /v1/integrations'>['items'][number];
export type TriggerType = Integration['triggers'][number] & { integration: string; integrationTitle: string };

/** How soon it fires, for people. */
export const paceOf = ({ instant, pollSeconds }: Pick<TriggerType, 'instant' | 'pollSeconds'>): string =>
  instant ? 'Instant' : `Looks every ${pollSeconds ?? 60} s`;

/** All kinds of triggers, mail first. */
export const useTriggerTypes = () => {
  const query = useRead('GET /v1/integrations');
  const types = useMemo((): TriggerType[] => {
    const all = (query.data?.items ?? []).flatMap(({ name, title, triggers }) =>
      triggers.map((trigger) => ({ ...trigger, integration: name, integrationTitle: title })),
    );
    return all.toSorted((a, b) => b.integration.localeCompare(a.integration));
  }, [query.data]);
  return { query, types, typeOf: (id: string) => types.find((type) => type.id === id) };
};
