import type { ApiDocument, Operation, Schema } from './document.ts';

const name = (ref: string): string => ref.split('/').at(-1) ?? '';
const key = (text: string): string => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : JSON.stringify(text));
const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ')} */\n`;

const objectType = (schema: Schema, indent: string): string => {
  const deeper = `${indent}  `;
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(
    ([field, inner]) =>
      `${comment(inner.description, deeper)}${deeper}${key(field)}${required.has(field) ? '' : '?'}: ${typeOf(inner, deeper)};\n`,
  );
  const { additionalProperties: more } = schema;
  if (fields.length === 0) return `Record<string, ${typeof more === 'object' ? typeOf(more, indent) : 'unknown'}>`;
  const others = more === undefined || more === false ? '' : `${deeper}[name: string]: unknown;\n`;
  return `{\n${fields.join('')}${others}${indent}}`;
};

const arrayType = ({ items, prefixItems }: Schema, indent: string): string =>
  prefixItems === undefined
    ? `Array<${items === undefined ? 'unknown' : typeOf(items, indent)}>`
    : `[${prefixItems.map((each) => typeOf(each, indent)).join(', ')}]`;

const plainType = (type: string, schema: Schema, indent: string): string => {
  if (type === 'object') return objectType(schema, indent);
  if (type === 'array') return arrayType(schema, indent);
  if (type === 'integer') return 'number';
  return ['string', 'number', 'boolean', 'null'].includes(type) ? type : 'unknown';
};

const join = (types: string[], by: string): string => {
  const all = [...new Set(types)];
  return all.length === 1 ? (all[0] ?? 'unknown') : `(${all.join(by)})`;
};

/** A JSON Schema as a TypeScript type. */
export const typeOf = (schema: Schema, indent = ''): string => {
  if (schema.$ref !== undefined) return name(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return join(
      schema.enum.map((value) => JSON.stringify(value)),
      ' | ',
    );
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined)
    return join(
      choices.map((each) => typeOf(each, indent)),
      ' | ',
    );
  if (schema.allOf !== undefined)
    return join(
      schema.allOf.map((each) => typeOf(each, indent)),
      ' & ',
    );
  if (schema.type === undefined) return schema.properties === undefined ? 'unknown' : objectType(schema, indent);
  return join(
    [schema.type].flat().map((type) => plainType(type, schema, indent)),
    ' | ',
  );
};

const parameters = (operation: Operation, where: string): string => {
  const found = (operation.parameters ?? []).filter((each) => each.in === where);
  if (found.length === 0) return 'undefined';
  const fields = found.map(
    (each) => `${key(each.name)}${each.required ? '' : '?'}: ${typeOf(each.schema ?? {}, '    ')}`,
  );
  return `{ ${fields.join('; ')} }`;
};

const answer = (operation: Operation): string => {
  const good = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const types = good.map(([, { content }]) => {
    if (content === undefined) return 'undefined';
    if (Object.hasOwn(content, '*/*')) return 'Blob';
    const schema = content['application/json']?.schema;
    return schema === undefined ? 'unknown' : typeOf(schema, '    ');
  });
  return types.length === 0 ? 'undefined' : join(types, ' | ');
};

const body = ({ requestBody }: Operation): string => {
  if (requestBody === undefined) return 'undefined';
  const schema = requestBody.content['application/json']?.schema;
  return schema === undefined ? 'Blob' : typeOf(schema, '    ');
};

const route = (method: string, path: string, operation: Operation): string =>
  [
    comment(operation.summary, '  '),
    `  '${method.toUpperCase()} ${path}': {\n`,
    `    params: ${parameters(operation, 'path')};\n`,
    `    query: ${parameters(operation, 'query')};\n`,
    `    body: ${body(operation)};\n`,
    `    answer: ${answer(operation)};\n`,
    '  };\n',
  ].join('');

/** The module of types that the client is checked against. */
export const moduleOf = ({ paths, components }: ApiDocument): string => {
  const schemas = Object.entries(components.schemas).map(
    ([title, schema]) => `${comment(schema.description, '')}export type ${title} = ${typeOf(schema)};\n`,
  );
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => route(method, path, operation)),
  );
  return [
    '// Made from the OpenAPI description by `npm run client`; changes here are lost.\n\n',
    schemas.join('\n'),
    `\nexport type Routes = {\n${routes.join('')}};\n`,
  ].join('');
};
