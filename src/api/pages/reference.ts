import { html } from 'hono/html';
import { layout } from './layout.ts';

type Json = Record<string, unknown>;

/** What this page reads of an OpenAPI document. */
export type ApiDocument = {
  info: { title: string; version: string; description?: string | undefined };
  paths?: Record<string, Record<string, ApiOperation>>;
  components?: { schemas?: Record<string, unknown> };
};
type ApiOperation = {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  requestBody?: { content?: Record<string, { schema?: Json }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Json }> }>;
  'x-access'?: 'public' | { role: string; scope?: string };
};

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

const who = (access: ApiOperation['x-access']): string => {
  if (access === undefined || access === 'public') return 'Open to all.';
  const key = access.scope === undefined ? 'people only' : `or a key with the scope ${access.scope}`;
  return `Members from ${access.role} upwards, ${key}.`;
};

const schemaOf = (content: Record<string, { schema?: Json }> | undefined): Json | undefined =>
  content?.['application/json']?.schema;

const operationEntry = (method: string, path: string, operation: ApiOperation) => {
  const request = schemaOf(operation.requestBody?.content);
  const answers = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'));
  return html`<details>
    <summary>
      <code><span class="method">${method.toUpperCase()}</span> ${path}</code> — ${operation.summary}
    </summary>
    <div>
      ${operation.description === undefined ? '' : html`<p>${operation.description}</p>`}
      <p class="muted">${who(operation['x-access'])}</p>
      ${
        operation.parameters === undefined
          ? ''
          : html`<table>
            <tbody>
              ${operation.parameters.map(
                (each) => html`<tr>
                  <th scope="row"><code>${each.name}</code></th>
                  <td>${each.in}${each.required ? ', required' : ''}</td>
                  <td>${each.description ?? ''}</td>
                </tr>`,
              )}
            </tbody>
          </table>`
      }
      ${request === undefined ? '' : html`<p>Body</p><pre tabindex="0">${pretty(request)}</pre>`}
      ${answers.map(([status, answer]) => {
        const schema = schemaOf(answer.content);
        return html`<p>${status}: ${answer.description}</p>
          ${schema === undefined ? '' : html`<pre tabindex="0">${pretty(schema)}</pre>`}`;
      })}
    </div>
  </details>`;
};

/** The browsable reference, made from the OpenAPI document. */
export const referencePage = (document: ApiDocument) => {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'Other'))];
  const schemas = Object.entries(document.components?.schemas ?? {});
  const parts = [
    html`<h1>${document.info.title} ${document.info.version}</h1>
      <p>${document.info.description}</p>
      <p>Machine-readable: <a href="/v1/openapi.json">/v1/openapi.json</a></p>`,
    ...tags.map(
      (tag) => html`<h2>${tag}</h2>
        ${operations
          .filter(({ operation }) => (operation.tags?.[0] ?? 'Other') === tag)
          .map(({ method, path, operation }) => operationEntry(method, path, operation))}`,
    ),
    html`<h2>Shapes</h2>
      ${schemas.map(
        ([name, schema]) => html`<details id="${name}">
          <summary><code>${name}</code></summary>
          <div><pre tabindex="0">${pretty(schema)}</pre></div>
        </details>`,
      )}`,
  ];
  return layout('API reference', parts, 'wide');
};
