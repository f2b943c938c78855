import { z } from 'zod';
import { CardSummary } from '../cards.ts';
import { Attachment } from '../shapes.ts';

/** Something named, as actions mention it. */
export const Named = z.object({ id: z.string(), name: z.string().optional() });
export type Named = z.output<typeof Named>;

export const Linked = Named.extend({ shortLink: z.string().optional() });

const Person = z.object({ id: z.string(), username: z.string().optional(), fullName: z.string().optional() });

/** A card in an action: who it is, and the new value of the field that changed. */
export const ActedCard = z.looseObject(Linked.shape);

export const ActedLabel = Named.extend({ color: z.string().nullish() });

export const ReadCard = CardSummary.omit({ idMembers: true }).extend({ members: z.array(Person) });

/** What was read from the service about an action, where it does not say so itself. `null`: it is gone. */
const Facts = z.object({
  card: ReadCard.nullish(),
  list: Named.nullish(),
  attachment: Attachment.nullish(),
  partOfCreation: z.boolean().optional(),
  board: Linked.extend({ url: z.string(), idOrganization: z.string().nullish() }).nullish(),
  workspace: Named.extend({ displayName: z.string().optional() }).nullish(),
});
export type Facts = z.output<typeof Facts>;

/**
 * The data that any trigger may look at; which of it must be there is each trigger's own word. What was changed itself has
 * the new values.
 */
const AnyData = z.looseObject({
  board: z.looseObject(Linked.shape),
  card: ActedCard.optional(),
  list: z.looseObject(Named.shape).optional(),
  listBefore: Named.optional(),
  listAfter: Named.optional(),
});

/** An action of these types. One of another shape belongs to another trigger. */
export const actionOf = <Type extends z.ZodType<string>, Data extends z.ZodRawShape>(type: Type, data: Data) =>
  z.object({
    id: z.string(),
    type,
    date: z.string(),
    idMemberCreator: z.string().optional(),
    memberCreator: Person.nullish(),
    /** Whom it is about. */
    member: Person.nullish(),
    data: AnyData.extend(data),
    /** Told by a difference between two looks: nobody knows who did it, or when. */
    told: z.literal('state').optional(),
    facts: Facts.optional(),
  });

/** An action as everything here handles it. */
export type Acted = z.output<ReturnType<typeof actionOf<z.ZodString, {}>>>;

/** The lists an action is about: its own, those it left and entered, or the one that was looked up. */
export const listsOf = ({ data, facts }: Pick<Acted, 'data' | 'facts'>): Named[] => {
  const told = (data.list === undefined ? [data.listAfter, data.listBefore] : [data.list]).filter(
    (list) => list !== undefined,
  );
  return told.length > 0 ? told : [facts?.list ?? []].flat();
};

export const actorOf = ({ idMemberCreator, memberCreator }: Acted): { id: string; name: string } | undefined => {
  const id = memberCreator?.id ?? idMemberCreator;
  return id === undefined ? undefined : { id, name: memberCreator?.fullName ?? memberCreator?.username ?? id };
};
