import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { AssertionError } from 'chai';
import { type ApiAnswer, type ApiRequest, exchange } from './api-exchange.ts';
import type { HttpService } from './subject.ts';

type Json = { readonly [name: string]: Json };

/** The document of the API, as the service itself answers it. */
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

/** Fails unless the document describes the answer: its status, its media type and every member of its body. */
export function checkAgainstDocument(document: ApiDocument, request: ApiRequest, answer: ApiAnswer): void {
  const where = `${request.method ?? 'GET'} ${request.path.split('?')[0]} ${answer.status}`;
  const response = responseOf(document, request, answer.status);
  if (response === undefined) throw new AssertionError(`${where} is not in the document`);
  if (request.method === 'HEAD' || response.content === undefined) {
    if (answer.text !== '') throw new AssertionError(`${where} has a body that is not in the document`);
    return;
  }
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
  const schema = response.content[type]?.schema;
  if (schema === undefined) throw new AssertionError(`${where} has the media type "${type}"`);
  const isValid = validatorOf(document, schema);
  if (!isValid(answer.body)) {
    throw new AssertionError(`${where} is not as the document says: ${JSON.stringify(isValid.errors)}`);
  }
}

/** An answer to what is no operation is one of the common responses. */
function responseOf(
  document: ApiDocument,
  { method = 'GET', path }: ApiRequest,
  status: number,
): Json | undefined {
  const [plain = ''] = path.split('?');
  const pattern = /^\/api\/v1\/pins\/[^/]+$/.test(plain) ? '/api/v1/pins/{id}' : plain;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const response = document.paths[pattern]?.[verb]?.responses?.[status];
  if (response !== undefined) return response;
  const common = { 401: 'Unauthorized', 404: 'NotFound', 405: 'MethodNotAllowed' }[status];
  return common === undefined ? undefined : document.components.responses?.[common];
}

/** Services differ in their addresses, not in their schemas, which are dear to compile. */
function validatorOf({ components }: ApiDocument, schema: Json): ValidateFunction {
  const root = { ...schema, components: { schemas: components.schemas } };
  const text = JSON.stringify(root);
  const known = validators.get(text);
  if (known !== undefined) return known;
  const compiled = new Ajv2020({ strict: false }).compile(root);
  validators.set(text, compiled);
  return compiled;
}
