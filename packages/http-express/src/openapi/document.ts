import { defaultLimits, type Limits } from '@pinfold/core';
import { publicUrl } from '@pinfold/http';
import { isChange } from '../authorize.ts';
import type { DescribedAnswer, DocumentContext, Endpoint } from '../endpoint.ts';
import { readAgentGuide, readDocument } from '../endpoints/documents.ts';
import { endpoints, operatorEndpoints } from '../endpoints/index.ts';
import type { WireCode } from '../problems/problem-table.ts';
import { offeredParameters } from '../reading/query.ts';
import { type JsonObject, namedSchemasIn, string } from '../schema.ts';
import { describeSignIn, type SignIn } from '../sign-in.ts';
import { componentHeaders, problem, problems, RATE_HEADERS, success } from './responses.ts';

/** Options of {@link openApiDocument} and {@link administrationDocument}. */
export interface OpenApiOptions {
  /** The public address of the API. */
  readonly publicUrl: string;
  /** The limits in force. Default `defaultLimits`. */
  readonly limits?: Limits | undefined;
  /** Your own sign-in. Default: API keys. */
  readonly signIn?: SignIn | undefined;
  /** Whether the API offers the history. Default true. */
  readonly history?: boolean | undefined;
  /** Whether the API offers view counts. Default true. */
  readonly views?: boolean | undefined;
  /** Whether the API creates grants. Default true. */
  readonly grants?: boolean | undefined;
  /** Whether the API offers the ZIPs of publications. Default true. */
  readonly archives?: boolean | undefined;
}

/**
 * The API document (OpenAPI Specification 3.1), which `GET /openapi.json` answers.
 *
 * @example
 * import { openApiDocument } from '@pinfold/http-express';
 *
 * JSON.stringify(openApiDocument({ publicUrl: 'https://pages.example' }));
 */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const described = [...endpoints, readDocument, readAgentGuide];
  return documentOf(options, described, {
    info: {
      title: 'Pinfold',
      version: '1',
      summary: 'Publish a ZIP of a static site and share it by URL.',
      description:
        'HEAD answers as GET does, without the body. Under /api/v1 the key is checked before unknown paths (404) and ' +
        'methods (405). An unknown or repeated query parameter is an error.',
      license: LICENSE,
    },
  });
}

/** The API document of administration, which `GET /admin/openapi.json` answers. */
export function administrationDocument(options: OpenApiOptions): JsonObject {
  return documentOf(options, operatorEndpoints, {
    info: {
      title: 'Pinfold administration',
      version: '1',
      summary: 'Administer accounts, publications and the service.',
      description:
        'HEAD answers as GET does, without the body. An unknown or repeated query parameter is an error.',
      license: LICENSE,
    },
    tags: [
      {
        name: ADMINISTRATION,
        description:
          'For keys of the scope `admin`, which only the command can create. Any other key gets 404, whatever the path and ' +
          'method. These requests do not count against the rate of requests; wrong keys are limited by address.',
      },
    ],
  });
}

const LICENSE = { name: 'MIT', identifier: 'MIT' };
const ADMINISTRATION = 'administration';

function documentOf(
  options: OpenApiOptions,
  described: readonly Endpoint<never>[],
  own: JsonObject,
): JsonObject {
  const { limits = defaultLimits, signIn, history = true, views = true, grants = true } = options;
  const { archives = true } = options;
  const url = publicUrl(options.publicUrl);
  const context = { publicUrl: url, limits, offered: { history, views, grants, archives } };
  const paths = pathsOf(described, context);
  const responses = {
    Unauthorized: problem(['unauthorized']),
    NotFound: problem(['not_found']),
    MethodNotAllowed: problem(['method_not_allowed']),
  };
  const document = {
    openapi: '3.1.1',
    ...own,
    servers: [{ url }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `pf_<key id>_<secret>`.' },
      },
      schemas: namedSchemasIn([paths, responses], limits),
      headers: componentHeaders(),
      responses,
    },
  };
  return signIn === undefined ? document : describeSignIn(document, signIn);
}

function pathsOf(described: readonly Endpoint<never>[], context: DocumentContext): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const endpoint of described) {
    const { path, method, needs, parameter } = endpoint;
    if (needs !== undefined && !context.offered[needs]) continue;
    paths[path] ??= {};
    const item = paths[path];
    if (parameter !== undefined) {
      const { name, description, example } = parameter;
      item.parameters = [{ name, in: 'path', required: true, description, schema: string(), example }];
    }
    item[method.toLowerCase()] = operationOf(endpoint, context);
  }
  return paths;
}

function operationOf(endpoint: Endpoint<never>, context: DocumentContext): JsonObject {
  const { id, summary, description, scope, query = {}, headers, body } = endpoint;
  const rates = scope === null || scope === 'admin' ? [] : RATE_HEADERS;
  const parameters = [
    ...(headers?.(context.limits) ?? []),
    ...Object.entries(offeredParameters(query, context.offered)).map(([name, parameter]) => {
      return { name, in: 'query', description: parameter.description, schema: parameter.schema };
    }),
  ];
  return {
    ...(scope === null ? { security: [] } : {}),
    ...(scope === 'admin' ? { tags: [ADMINISTRATION] } : {}),
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            ...(body.isOptional ? {} : { required: true }),
            content: { [body.mediaType]: body.content },
          },
        }),
    responses: {
      ...answersOf(endpoint.answers(context), rates),
      ...problems(codesOf(endpoint), rates),
    },
  };
}

function answersOf(answers: Readonly<Record<number, DescribedAnswer>>, rates: readonly string[]): JsonObject {
  const all = Object.entries(answers).map(([status, answer]) => [status, success(answer, rates)]);
  return Object.fromEntries(all);
}

/** The error codes of an endpoint: its own, and those of its area, method, path and body. */
function codesOf(endpoint: Endpoint<never>): readonly WireCode[] {
  const { scope, parameter, body, codes = [] } = endpoint;
  if (scope === null) return codes;
  const isMissing = scope === 'admin' || parameter !== undefined;
  const json: readonly WireCode[] = ['request_timeout', 'unsupported_media_type', 'invalid_update'];
  return [
    'invalid_request',
    'unauthorized',
    ...(scope === 'admin' ? [] : (['forbidden'] as const)),
    ...(isMissing ? (['not_found'] as const) : []),
    'rate_limited',
    'internal_error',
    'unavailable',
    ...(isChange(endpoint) ? (['account_blocked'] as const) : []),
    ...(body?.read === undefined ? [] : json),
    ...codes,
  ];
}
