import { after, instant, seconds } from '@pinfold/core';
import { answerRefusal, refuseRequest } from '../problems/problem.ts';
import { type HttpProblem, problemTable, type WireCode } from '../problems/problem-table.ts';
import { EXAMPLE_REQUEST_ID, exampleDetails } from './examples.ts';
import { type JsonObject, schemaRef } from './json-schema.ts';

const EXAMPLE_INSTANT = instant(0);

const CODES_OF_HEADERS = {
  'WWW-Authenticate': ['unauthorized'],
  Allow: ['method_not_allowed'],
  'Retry-After': ['idempotency_in_progress', 'rate_limited', 'unavailable'],
} as const satisfies Record<string, readonly WireCode[]>;

/** What every answer to an account with a rate carries. */
const RATE_HEADERS: readonly string[] = ['RateLimit-Policy', 'RateLimit'];

/** Every header that an answer may carry. */
export const componentHeaders = (): JsonObject => ({
  'X-Request-Id': header('The id of this request; tell it to the operator.', EXAMPLE_REQUEST_ID),
  'Cache-Control': header('`no-store`; of the API document `no-cache`.', 'no-store'),
  ETag: header('The tag of this form of the answer, for If-None-Match.', '"NzI0YmY5"'),
  Location: header('Where the new pin is read.', `https://pins.example/api/v1/pins/${EXAMPLE_REQUEST_ID}`),
  'Idempotent-Replayed': header('`true` when the publication was complete before.', 'true'),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer'),
  Allow: header('The methods of this path.', 'GET, HEAD, POST'),
  'Retry-After': header('In how many seconds to send the same request again.', '5'),
  RateLimit: header(
    'What is left of each rate, and in how many seconds all of it is there again, or the refused request passes (draft-ietf-httpapi-ratelimit-headers).',
    '"requests";r=5999;t=1, "publications";r=0;t=6',
  ),
  'RateLimit-Policy': header(
    'The rates of the account: how many in so many seconds. A request that changes something costs ten `requests`, or all where there are fewer; every other one costs one. `publications` is there where a publication came as far as its rate.',
    '"requests";q=6000;w=60, "publications";q=600;w=3600',
  ),
});

/** A successful answer. */
export function success(
  description: string,
  content: { readonly schema: JsonObject; readonly examples?: JsonObject } | undefined,
  headers: readonly string[] = [],
  rates: readonly string[] = RATE_HEADERS,
): JsonObject {
  return {
    description,
    headers: headerRefs([...rates, ...headers]),
    ...(content === undefined ? {} : { content: { 'application/json': content } }),
  };
}

/** The error answers of an operation by status, each with all its codes. */
export function problems(codes: readonly WireCode[], rates: readonly string[] = RATE_HEADERS): JsonObject {
  const publishing = codes.includes('idempotency_key_required');
  const statuses = new Set(codes.map((code) => statusOf(code)));
  return Object.fromEntries(
    [...statuses].map((status) => [
      status,
      problem(
        codes.filter((code) => statusOf(code) === status),
        rates,
        publishing,
      ),
    ]),
  );
}

/** One error answer, with the codes it may have. */
export function problem(
  codes: readonly WireCode[],
  rates: readonly string[] = RATE_HEADERS,
  publishing = false,
): JsonObject {
  const titles = codes.map((code) => `\`${code}\`: ${entry(code).title}.`);
  const headers = Object.entries(CODES_OF_HEADERS).filter(([, of]) =>
    of.some((code) => codes.includes(code)),
  );
  const schema = { allOf: [schemaRef('Problem'), { properties: { code: { enum: codes } } }] };
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: exampleProblem(code, publishing) }]),
  );
  return {
    description: titles.join(' '),
    headers: headerRefs([...ratesOf(codes, rates), ...headers.map(([name]) => name)]),
    content: { 'application/problem+json': { schema, examples } },
  };
}

/** Without a key there is no account; past a rate, the headers say when the request passes, whatever took from it. */
function ratesOf(codes: readonly WireCode[], rates: readonly string[]): readonly string[] {
  if (codes.includes('unauthorized')) return [];
  return codes.includes('rate_limited') ? RATE_HEADERS : rates;
}

function exampleProblem(code: WireCode, publishing: boolean): unknown {
  const waiting = { ...exampleDetails()[code], retryAt: after(EXAMPLE_INSTANT, seconds(5)) };
  return answerRefusal(
    refuseRequest(code, waiting),
    { requestId: EXAMPLE_REQUEST_ID, publishing },
    EXAMPLE_INSTANT,
  ).json;
}

function entry(code: WireCode): HttpProblem {
  return problemTable[code];
}

function statusOf(code: WireCode): string {
  return String(entry(code).status);
}

function headerRefs(names: readonly string[]): JsonObject {
  const all = ['X-Request-Id', 'Cache-Control', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, example: string): JsonObject {
  return { description, schema: { type: 'string' }, example };
}
