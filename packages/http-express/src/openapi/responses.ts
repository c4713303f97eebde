import { after, instant, seconds } from '@pinfold/core';
import type { DescribedAnswer } from '../endpoint.ts';
import { answerRefusal, type ProblemDetails, refuseRequest } from '../problems/problem.ts';
import { archiveError, problemDetails, requestError, stateDetails } from '../problems/problem-details.ts';
import { problemTable, type WireCode } from '../problems/problem-table.ts';
import type * as T from '../schema.ts';
import { problemSchema } from '../wire/problem.ts';

const EXAMPLE_INSTANT = instant(0);
const EXAMPLE_REQUEST_ID = '3f2b8c1e-9d47-4a6b-8e05-7c1d2f3a4b5c';

export const EXAMPLE_FEED_CURSOR =
  '100.5b0e3c52-7f1d-4c0a-9d3e-2a6f8b1c4d7e.9f86d081884c7d659a2feaa0c55ad015.1k2xq7z';

const kind = 'refused';

const exampleDetails = (): Readonly<Partial<Record<WireCode, ProblemDetails>>> => ({
  archive_too_large: { errors: [archiveError({ rule: 'archive_too_large', limit: 10_485_760 })] },
  cursor_expired: { oldestCursor: EXAMPLE_FEED_CURSOR },
  invalid_archive: {
    errors: [
      archiveError({ rule: 'forbidden_name', path: 'site/.env', segment: '.env' }),
      archiveError({ rule: 'missing_index' }),
    ],
  },
  invalid_form: { errors: [requestError({ rule: 'archive_missing' })] },
  invalid_idempotency_key: problemDetails({ kind, code: 'invalid_idempotency_key', rule: 'empty' }),
  invalid_password: problemDetails({
    kind,
    code: 'invalid_password',
    rule: 'too_short',
    limit: 8,
    actual: 5,
  }),
  invalid_state: stateDetails('deleted', 'change'),
  quota_exceeded: problemDetails({ kind, code: 'quota_exceeded', rule: 'sites', limit: 200, actual: 201 }),
  invalid_title: problemDetails({ kind, code: 'invalid_title', rule: 'control_character' }),
});

const CODES_OF_HEADERS = {
  'WWW-Authenticate': ['unauthorized'],
  Allow: ['method_not_allowed'],
  'Retry-After': ['idempotency_in_progress', 'rate_limited', 'unavailable'],
} as const satisfies Record<string, readonly WireCode[]>;

/** The headers of all answers to an account with a rate. */
export const RATE_HEADERS: readonly string[] = ['RateLimit-Policy', 'RateLimit'];

export const componentHeaders = (): T.JsonObject => ({
  'X-Request-Id': header(
    'The id of this request. Give it to the operator when you report a problem.',
    EXAMPLE_REQUEST_ID,
  ),
  'Cache-Control': header('`no-store`; for this document and `/llms.txt`, `no-cache`.', 'no-store'),
  ETag: header('The version of the answer, for If-None-Match; for a ZIP its SHA-256.', '"NzI0YmY5"'),
  'Accept-Ranges': header('`bytes`: you can request a part of the ZIP with Range.', 'bytes'),
  'Content-Disposition': header(
    'The file name that the ZIP was uploaded with; `.zip` is added if it does not end so.',
    'attachment; filename="catalogue.zip"; filename*=UTF-8\'\'catalogue.zip',
  ),
  'Content-Range': header('The range of these bytes, and the size of the ZIP.', 'bytes 0-1023/348160'),
  Location: header('The address of the new pin.', `https://share.example/api/v1/pins/${EXAMPLE_REQUEST_ID}`),
  'Idempotent-Replayed': header('`true` when the publication was complete before.', 'true'),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer'),
  Allow: header('The methods of this path.', 'GET, HEAD, POST'),
  'Retry-After': header('Seconds until the same request may be sent again.', '5'),
  RateLimit: header(
    'What is left of each rate, and the seconds until it is full again or, if nothing is left or after 429, until the next or the refused request passes (draft-ietf-httpapi-ratelimit-headers).',
    '"requests";r=5999;t=1, "publications";r=0;t=6',
  ),
  'RateLimit-Policy': header(
    'The rates of the account, with their windows in seconds. A request that changes something costs ten `requests`, or the whole rate if that is less; every other request costs one. `publications` is present if the request was checked against the rate of publications.',
    '"requests";q=6000;w=60, "publications";q=600;w=3600',
  ),
});

export function success(
  { description, schema, mediaType = 'application/json', examples, headers = [] }: DescribedAnswer,
  rates: readonly string[],
): T.JsonObject {
  const values = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
  const content = { schema, ...(examples === undefined ? {} : { examples: Object.fromEntries(values) }) };
  return {
    description,
    headers: headerRefs([...rates, ...headers]),
    ...(schema === undefined ? {} : { content: { [mediaType]: content } }),
  };
}

export function problems(codes: readonly WireCode[], rates: readonly string[]): T.JsonObject {
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

export function problem(
  codes: readonly WireCode[],
  rates: readonly string[] = RATE_HEADERS,
  publishing = false,
): T.JsonObject {
  const titles = codes.map((code) => `\`${code}\`: ${problemTable[code].title}.`);
  const headers = Object.entries(CODES_OF_HEADERS).filter(([, codesOfHeader]) =>
    codesOfHeader.some((code) => codes.includes(code)),
  );
  const schema = { allOf: [problemSchema, { properties: { code: { enum: codes } } }] };
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: exampleProblem(code, publishing) }]),
  );
  return {
    description: titles.join(' '),
    headers: headerRefs([...ratesOf(codes, rates), ...headers.map(([name]) => name)]),
    content: { 'application/problem+json': { schema, examples } },
  };
}

/** The rate headers of an answer: none without an account; always beyond a rate. */
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

function statusOf(code: WireCode): string {
  return String(problemTable[code].status);
}

function headerRefs(names: readonly string[]): T.JsonObject {
  const all = ['X-Request-Id', 'Cache-Control', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, example: string): T.JsonObject {
  return { description, schema: { type: 'string' }, example };
}
