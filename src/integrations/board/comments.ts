import { z } from 'zod';
import { cut } from './cards.ts';
import { Member } from './shapes.ts';
import { Time } from './times.ts';

export const CommentAction = z.object({
  id: z.string(),
  date: z.string(),
  idMemberCreator: z.string(),
  memberCreator: Member.optional(),
  data: z.object({
    text: z.string(),
    dateLastEdited: z.string().optional(),
    // Of one that came with a copied card; it is the copy of whoever copied the card.
    idOriginalCommenter: z.string().nullish(),
    card: z.object({ id: z.string() }),
  }),
});

/** Comments that came with the card it was copied from are told by a type of their own. */
export const commentTypes = 'commentCard,copyCommentCard';

const longest = 2_000;

export const Comment = z.object({
  commentId: z.string(),
  cardId: z.string(),
  text: z.string(),
  textTruncated: z.boolean().optional(),
  createdAt: z.string(),
  editedAt: z.string().optional(),
  author: z.object({ id: z.string(), username: z.string().optional(), name: z.string().optional() }),
});

/** The same as steps answer it. */
export const CommentTold = Comment.extend({ createdAt: Time, editedAt: Time.optional() });

export const showComment = (action: unknown, most = longest): z.output<typeof Comment> => {
  const { id, date, idMemberCreator, memberCreator, data } = CommentAction.parse(action);
  const author = data.idOriginalCommenter ?? idMemberCreator;
  const named = author === idMemberCreator ? memberCreator : undefined;
  return {
    commentId: id,
    cardId: data.card.id,
    text: cut(data.text, most),
    ...(data.text.length > most ? { textTruncated: true } : {}),
    createdAt: date,
    ...(data.dateLastEdited === undefined ? {} : { editedAt: data.dateLastEdited }),
    author: {
      id: author,
      ...(named === undefined ? {} : { username: named.username, name: named.fullName }),
    },
  };
};
