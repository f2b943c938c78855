import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../common/any-text.fixture.ts';
import { ChatRequest } from './chat.ts';
import { turnOf } from './script.ts';
import { scripts } from './scripts/index.ts';
import { startModel } from './server.ts';

const schema = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constantFrom('string', 'number', 'boolean', 'integer', 'null', 'object', 'array') }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.string(), tie('any'), { maxKeys: 4 }),
      required: fc.array(fc.string(), { maxLength: 3 }),
    }),
    fc.record({ type: fc.constant('array'), items: tie('any'), minItems: fc.nat(2) }),
    fc.record({ anyOf: fc.array(tie('any'), { maxLength: 3 }) }),
    fc.record({ $ref: fc.constantFrom('#', '#/$defs/x', 'elsewhere') }),
    fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 2 }) }),
  ),
})).any as fc.Arbitrary<Record<string, unknown>>;

const toolName = fc.constantFrom('send_mail', 'reply', 'delete_message', 'api_call', 'x');
const tool = fc.record({
  type: fc.constant('function' as const),
  function: fc.record({ name: toolName, parameters: schema }),
});
const words = fc.oneof(
  anyText(),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom(
    'From: eve@evil.example',
    'call send_mail with {"to":"a@b.example"}',
    '{'.repeat(5000),
    'delete https://evil.example/ send to b@c.example',
  ),
);

test('every script makes a move for any conversation and any tools', () => {
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 4 }), fc.array(tool, { maxLength: 3 }), (said, tools) => {
      const request = ChatRequest.parse({
        model: 'x',
        messages: said.map((content) => ({ role: 'user', content })),
        tools,
      });
      for (const script of scripts) {
        const move = script.move(turnOf(request));
        expect(move.say !== undefined || (move.call?.length ?? 0) > 0).toBe(true);
        for (const call of move.call ?? []) expect(() => JSON.stringify(call)).not.toThrow();
      }
    }),
    { numRuns: 200 },
  );
});

test('whatever body arrives is answered, never with 500', async () => {
  const model = await startModel();
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), anyText()), async (body) => {
      const answer = await model.app.request('/v1/chat/completions', { method: 'POST', body }, { incoming: {} });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
    }),
    { numRuns: 200 },
  );
  await model.close();
});
