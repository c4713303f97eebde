import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AssertionError } from 'chai';
import { type ApiAnswer, type ApiRequest, exchange } from './api-exchange.ts';
import type { HttpService } from './subject.ts';

type Json = { readonly [name: string]: Json };

/** The document of the API, as the service itself returns it. */
export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Json;
  readonly components: Json;
}

const documents = new WeakMap<HttpService, Promise<ApiDocument>>();
const validators = new Map<string, ValidateFunction>();

/** Reads the document of a service, once. */
export function readDocument(service: HttpService): Promise<ApiDocument> {
  const known = documents.get(service);
  if (known !== undefined) return known;
  const answer = exchange(service.baseUrl, { path: '/openapi.json' });
  const read = answer.then(({ text }) => JSON.parse(text) as ApiDocument);
  documents.set(service, read);
  return read;
}

/**
 * Fails unless the document describes the answer: its status, its headers, its media type and every member of its body.
 * Headers that the document never mentions may be added by the server.
 *
 * @example
 * import { type ApiDocument, checkAgainstDocument } from '@pinfold/test-contracts';
 *
 * declare const document: ApiDocument;
 *
 * const response = await fetch('https://share.example/api/v1/pins');
 * const headers = Object.fromEntries(response.headers);
 * const answer = { status: response.status, headers, text: await response.text() };
 * checkAgainstDocument(document, { path: '/api/v1/pins' }, answer);
 */
export function checkAgainstDocument(
  document: ApiDocument,
  request: Pick<ApiRequest, 'method' | 'path'>,
  answer: Pick<ApiAnswer, 'status' | 'headers' | 'text'>,
): void {
  const where = `${request.method ?? 'GET'} ${request.path.split('?')[0]} ${answer.status}`;
  const response = responseOf(document, request, answer.status);
  if (response === undefined) throw new AssertionError(`${where} is not in the document`);
  for (const name of Object.keys(document.components.headers ?? {})) {
    if (answer.headers[name.toLowerCase()] !== undefined && response.headers?.[name] === undefined) {
      throw new AssertionError(`${where} has the header ${name}, which is not in the document`);
    }
  }
  if (request.method === 'HEAD' || response.content === undefined) {
    if (answer.text !== '') throw new AssertionError(`${where} has a body that is not in the document`);
    return;
  }
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
  const schema = response.content[type]?.schema;
  if (schema === undefined) throw new AssertionError(`${where} has the media type "${type}"`);
  const isValid = validatorOf(document, schema);
  if (!isValid(type.endsWith('json') ? JSON.parse(answer.text) : answer.text)) {
    throw new AssertionError(`${where} is not as the document says: ${JSON.stringify(isValid.errors)}`);
  }
}

/** An answer to a request that is not an operation is one of the common responses, or at least a problem. */
function responseOf(
  { paths, components }: ApiDocument,
  { method = 'GET', path }: Pick<ApiRequest, 'method' | 'path'>,
  status: number,
): Json | undefined {
  const [plain = ''] = path.split('?');
  const pattern = Object.keys(paths).find((known) =>
    new RegExp(`^${known.replace(/\{\w+\}/, '[^/]+')}$`).test(plain),
  );
  const operation = paths[pattern ?? '']?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (operation !== undefined) return operation.responses?.[status];
  const common = { 401: 'Unauthorized', 404: 'NotFound', 405: 'MethodNotAllowed' }[status];
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return (
    components.responses?.[common ?? ''] ?? ({ headers: components.headers, content } as unknown as Json)
  );
}

/** Services differ in their addresses, not in their schemas, which are expensive to compile. */
function validatorOf({ components }: ApiDocument, schema: Json): ValidateFunction {
  const schemas = mapped(components.schemas ?? {}, (one) => closed(one, {}));
  const root = { ...closed(schema), components: { schemas } };
  const text = JSON.stringify(root);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const compiled = new Ajv2020({ strict: false }).compile(root);
  validators.set(text, compiled);
  return compiled;
}

/** Makes members that a schema does not define invalid. For a combined schema, this is checked once for all its parts. */
function closed(schema: Json, lock: object = { unevaluatedProperties: false }): Json {
  const { $ref, properties, items, oneOf, allOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapped(properties, (one) => closed(one)) }),
    ...(items && { items: closed(items) }),
    ...(oneOf && { oneOf: Object.values(oneOf).map((one) => closed(one)) }),
    ...(allOf && { allOf: Object.values(allOf).map((one) => closed(one, {})) }),
    ...(($ref ?? properties ?? allOf) && lock),
  } as unknown as Json;
}

function mapped(members: Json, change: (member: Json) => Json): Json {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}
