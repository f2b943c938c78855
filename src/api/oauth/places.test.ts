import { expect, test } from 'vitest';
import { oauthPlaces } from './places.ts';

test('on a laptop a client is answered under the name it asked by, and what it is given is the same', () => {
  const places = oauthPlaces(new URL('http://127.0.0.1:4600'));
  const asked = 'http://localhost:4600/mcp';
  expect(places.protectedResource('/mcp', asked)).toMatchObject({
    resource: asked,
    authorization_servers: ['http://127.0.0.1:4600'],
  });
  expect(places.metadataOf('/mcp', asked)).toBe('http://localhost:4600/.well-known/oauth-protected-resource/mcp');
  expect(places.resourceOf(asked)).toBe('http://127.0.0.1:4600/mcp');
  expect(places.resourceOf('http://localhost:4601/mcp')).toBeUndefined();
  expect(places.protectedResource('/mcp', 'http://elsewhere.example:4600/mcp')?.resource).toBe(
    'http://127.0.0.1:4600/mcp',
  );
});

test('a house that the world knows by its name has that name alone', () => {
  const places = oauthPlaces(new URL('https://switchboard.example'));
  for (const asked of ['http://localhost/mcp', 'http://10.0.0.1:4600/mcp', 'https://elsewhere.example/mcp']) {
    expect(places.protectedResource('/mcp', asked)?.resource).toBe('https://switchboard.example/mcp');
    expect(places.resourceOf(asked)).toBeUndefined();
  }
});
