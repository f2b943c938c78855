import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Approvals } from '#effects';
import { Fault } from '#kit';
import {
  Approval,
  ApprovalQuery,
  ApprovalStanding,
  ApprovalSummary,
  Approve,
  Edit,
  Reject,
  standingOf,
} from '../approval-contract.ts';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';
import { download, downloadAs, streamOf } from './downloads.ts';

const InPlace = ById.extend({
  place: z.coerce
    .number()
    .int()
    .min(0)
    .max(9_999)
    .openapi({
      param: { name: 'place', in: 'path', required: true },
      type: 'integer',
      description: 'Which attachment of the view, from 0.',
    }),
});

const which = (c: Context<Env>, { id }: { id: string }) => {
  const { workspaceId, actor } = callerOf(c);
  return { workspaceId, actor, id };
};

export const approvalRoutes = (approvals: Approvals) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/approvals', {
        tag: 'Approvals',
        summary: 'What waits for a person, or waited',
        description:
          '`query` finds what people remember of it. Where many have to be looked through for that, a page may hold few or none and lead on.',
        request: { query: ApprovalQuery },
        responses: { 200: page(ApprovalSummary, 'Newest first, or as the order asks.') },
      }),
      async (c) => {
        const { limit, cursor, ...filter } = c.req.valid('query');
        return c.json(await approvals.list(callerOf(c).workspaceId, filter, { limit, cursor }), 200);
      },
    )
    .openapi(
      operation('GET /v1/approvals/{id}', {
        tag: 'Approvals',
        summary: 'Exactly what would be sent',
        request: { params: ById },
        responses: {
          200: json(z.union([Approval, ApprovalStanding]), 'The approval; to the key of a run how it stands.'),
        },
      }),
      async (c) => {
        const caller = callerOf(c);
        const approval = await approvals.get(caller.workspaceId, c.req.valid('param').id);
        if (caller.kind !== 'run') return c.json(approval, 200);
        if (approval.runId !== caller.runId) throw new Fault('not_found', 'There is no such approval.');
        return c.json(standingOf(approval), 200);
      },
    )
    .openapi(
      operation('GET /v1/approvals/{id}/attachments/{place}', {
        tag: 'Approvals',
        summary: 'The content of what would be sent along',
        description: 'While it waits. The first attachment of its view has the place 0.',
        request: { params: InPlace },
        responses: download,
      }),
      async (c) => {
        const { id, place } = c.req.valid('param');
        const { name, contentType = '', read } = await approvals.openEnclosed(which(c, { id }), place);
        downloadAs(c, name, contentType);
        return c.body(streamOf(read));
      },
    )
    .openapi(
      operation('POST /v1/approvals/{id}/approve', {
        tag: 'Approvals',
        summary: 'Let it be sent',
        description: 'Holds for what has this digest and for nothing else. Repeating it changes nothing.',
        request: { params: ById, ...body(Approve) },
        responses: { 200: json(Approval, 'Approved; its run goes on.') },
      }),
      async (c) => c.json(await approvals.approve(which(c, c.req.valid('param')), c.req.valid('json').digest), 200),
    )
    .openapi(
      operation('POST /v1/approvals/{id}/reject', {
        tag: 'Approvals',
        summary: 'Refuse it',
        description: 'The run is told the reason.',
        request: { params: ById, ...body(Reject) },
        responses: { 200: json(Approval, 'Rejected.') },
      }),
      async (c) => c.json(await approvals.reject(which(c, c.req.valid('param')), c.req.valid('json').reason), 200),
    )
    .openapi(
      operation('POST /v1/approvals/{id}/edit', {
        tag: 'Approvals',
        summary: 'Change what would be sent',
        description: 'It is composed anew: the answer has a new digest and view, and the old digest approves nothing.',
        request: { params: ById, ...body(Edit) },
        responses: { 200: json(Approval, 'Still waiting, as changed.') },
      }),
      async (c) => {
        const { changes, digest } = c.req.valid('json');
        return c.json(await approvals.edit(which(c, c.req.valid('param')), changes, digest), 200);
      },
    );
