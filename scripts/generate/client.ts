import { compile } from 'json-schema-to-typescript';
import { type Document, type Operation, type Parameter, resolved, type Schema } from './document.ts';

const BANNER = '// Generated from the declared routes by "npm run generate". A test compares it.';
const TYPES = './types.ts';

/** One operation, as the client needs to know it. */
interface Call {
  name: string;
  summary: string;
  method: string;
  path: string;
  /** Names of the fields that go into the address; the rest is the body. */
  query: string[];
  params: string[];
  body: 'none' | 'json' | 'raw';
  contentType: string | null;
  answer: 'none' | 'json' | 'text' | 'stream';
  /** Statuses of answers that are none of success and yet no problems. */
  statuses: number[];
  keyed: boolean;
  /** The field of the answer with the items of a page. */
  list: string | null;
  input: Schema;
  output: Schema | null;
}

/** The generated part of the client: types of what is given and answered, and the operations. */
export async function clientFiles(document: Document): Promise<Record<string, string>> {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => callOf(document, path, method, operation)),
  );
  return {
    'packages/client/src/generated/types.ts': await typesOf(document, calls),
    'packages/client/src/generated/operations.ts': operationsOf(calls),
  };
}

function callOf(document: Document, path: string, method: string, operation: Operation): Call {
  const { operationId: name, summary, responses, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined
      ? parameter
      : document.components.parameters[parameter.$ref.replace('#/components/parameters/', '')]!,
  );
  const named = (where: Parameter['in']) => parameters.filter((one) => one.in === where);
  const [contentType] = Object.keys(requestBody?.content ?? {});
  const body = contentType === undefined ? 'none' : contentType === 'application/json' ? 'json' : 'raw';
  const answers = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined);
  const query = named('query').map((one) => one.name);
  const contents = answers.flatMap(([, { content = {} }]) => Object.entries(content));
  const output = schemaOfAnswers(contents.map(([, { schema }]) => schema));
  return {
    name,
    summary,
    method: method.toUpperCase(),
    path,
    query,
    params: named('path').map((one) => one.name),
    body,
    contentType: contentType ?? null,
    answer: answerKind(contents[0]?.[0]),
    statuses: answers.map(([status]) => Number(status)),
    keyed: named('header').some((one) => one.name === 'Idempotency-Key'),
    list: query.includes('cursor') ? listOf(document, output) : null,
    input: inputOf(document, name, [...named('path'), ...named('query')], requestBody),
    output,
  };
}

function answerKind(contentType: string | undefined): Call['answer'] {
  if (contentType === undefined) return 'none';
  if (contentType === 'application/json') return 'json';
  return contentType === 'text/plain' ? 'text' : 'stream';
}

function schemaOfAnswers(schemas: Schema[]): Schema | null {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  if (different.length === 0) return null;
  return different.length === 1 ? different[0]! : { anyOf: different };
}

function listOf(document: Document, output: Schema | null): string | null {
  const { properties = {} } = output === null ? {} : resolved(document, output);
  if (!properties.nextCursor) return null;
  const lists = Object.keys(properties).filter((name) => properties[name]!.type === 'array');
  if (lists.length !== 1) throw new Error('a page has one list');
  return lists[0]!;
}

/** All that is given, in one object. */
function inputOf(
  document: Document,
  name: string,
  parameters: Parameter[],
  requestBody: Operation['requestBody'],
): Schema {
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  const add = (field: string, schema: Schema, isRequired: boolean) => {
    if (field in properties) throw new Error(`${name}: ${field} is given twice`);
    properties[field] = schema;
    if (isRequired) required.push(field);
  };
  for (const { name: field, description, schema, required: isRequired } of parameters) {
    add(field, description === undefined ? schema : { ...schema, description }, isRequired);
  }
  const json = requestBody?.content['application/json']?.schema;
  if (json) {
    const body = resolved(document, json);
    if (body.type !== 'object' || !body.properties) throw new Error(`${name}: the body is an object`);
    for (const [field, schema] of Object.entries(body.properties)) {
      add(field, schema, requestBody!.required && (body.required ?? []).includes(field));
    }
  } else if (requestBody) {
    add('body', { tsType: 'RawBody', description: 'What is sent, as it is.' }, true);
  }
  return { type: 'object', additionalProperties: false, properties, required };
}

const capital = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}`;
const sharedName = ({ output }: Call) => output?.$ref?.replace('#/components/schemas/', '');
const hasInput = ({ input }: Call) => Object.keys(input.properties ?? {}).length > 0;

async function typesOf(document: Document, calls: readonly Call[]): Promise<string> {
  const own = calls.flatMap((call) => [
    ...(hasInput(call) ? [[`${capital(call.name)}Input`, call.input] as const] : []),
    ...(call.answer === 'json' && !sharedName(call)
      ? [[`${capital(call.name)}Answer`, call.output!] as const]
      : []),
  ]);
  // What is one shared shape and nothing else gets no type of its own from the compiler.
  const aliases = calls.flatMap((call) =>
    sharedName(call) ? [`export type ${capital(call.name)}Answer = ${sharedName(call)};\n`] : [],
  );
  const $defs = { ...document.components.schemas, ...Object.fromEntries(own) };
  const schema = { $defs: JSON.parse(JSON.stringify($defs).replaceAll('#/components/schemas/', '#/$defs/')) };
  const text = await compile(schema, 'Everything', {
    additionalProperties: false,
    bannerComment: BANNER,
    maxItems: -1,
    unreachableDefinitions: true,
    style: { printWidth: 110, singleQuote: true, trailingComma: 'all', bracketSpacing: true },
  });
  return `${text}${aliases.join('')}`
    .replace(BANNER, `${BANNER}\nimport type { RawBody } from '../call.ts';`)
    .replace(/export interface Everything \{[^}]*\}\n/, '')
    .replaceAll(
      /\n \*\n \* This interface was referenced by `Everything`'s JSON-Schema[\s\S]*?(?=\n \*\/)/g,
      '',
    )
    .replaceAll(/\/\*\*\n \* This interface was referenced by `Everything`'s JSON-Schema[\s\S]*?\*\/\n/g, '');
}

function operationsOf(calls: readonly Call[]): string {
  const names = calls.flatMap((call) => [
    ...(hasInput(call) ? [`${capital(call.name)}Input`] : []),
    ...(call.answer === 'json' ? [`${capital(call.name)}Answer`] : []),
  ]);
  const lists = calls.filter(({ list }) => list !== null);
  return `${BANNER}
import type { CallOptions, Operation } from '../call.ts';
import type {
${names
  .sort()
  .map((name) => `  ${name},`)
  .join('\n')}
} from '${TYPES}';

/** How each operation is called. */
export const OPERATIONS = {
${calls.map(tableRow).join('\n')}
} as const satisfies Record<string, Operation>;

/** Every operation of the service. */
export interface Operations {
${calls.map((call) => `${docOf(call)}  ${call.name}(${givenOf(call)}): Promise<${answerType(call)}>;`).join('\n')}
}

/** The items of lists, page after page. */
export interface Lists {
${lists.map((call) => `${docOf(call)}  ${call.name}(${givenOf(call, 'cursor')}): AsyncIterable<${answerType(call)}['${call.list}'][number]>;`).join('\n')}
}
`;
}

const docOf = ({ summary }: Call) => `  /** ${summary}. */\n`;

function tableRow({
  name,
  method,
  path,
  params,
  query,
  body,
  contentType,
  answer,
  statuses,
  keyed,
  list,
}: Call) {
  const row = { method, path, params, query, body, contentType, answer, statuses, keyed, list };
  const fields = Object.entries(row).map(([field, value]) => `    ${field}: ${literal(value)},`);
  return `  ${name}: {\n${fields.join('\n')}\n  },`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function givenOf(call: Call, without?: string): string {
  if (!hasInput(call)) return 'options?: CallOptions';
  const own = `${capital(call.name)}Input`;
  const type = without === undefined ? own : `Omit<${own}, '${without}'>`;
  const optional = (call.input.required ?? []).length === 0 ? '?' : '';
  return `input${optional}: ${type}, options?: CallOptions`;
}

function answerType({ name, answer }: Call): string {
  if (answer === 'json') return `${capital(name)}Answer`;
  return { none: 'void', text: 'string', stream: 'ReadableStream<Uint8Array>' }[answer];
}
