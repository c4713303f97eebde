import { defaultLimits, type Limits } from '@pinfold/core';
import { type PublicUrl, publicUrl } from '@pinfold/http';
import { describeSignIn, type SignIn } from '../sign-in.ts';
import { administrationTag } from './administered.ts';
import { administrationPaths, administrationSchemas } from './administration.ts';
import type { JsonObject } from './json-schema.ts';
import { paths } from './operations.ts';
import { componentHeaders, problem } from './responses.ts';
import { componentSchemas } from './schemas.ts';

/** Options of {@link openApiDocument}. */
export interface OpenApiOptions {
  /** The public address of the API. */
  readonly publicUrl: string;
  /** The limits in force; `defaultLimits` when absent. */
  readonly limits?: Limits;
  /** Your own sign-in; API keys when absent. */
  readonly signIn?: SignIn | undefined;
  /** Whether the API offers the history; true when absent. */
  readonly history?: boolean;
  /** Whether the API tells how often a publication was viewed; true when absent. */
  readonly views?: boolean;
  /** Whether the service is administered by the API; true when absent. */
  readonly administration?: boolean;
}

/**
 * The API described for machines (OpenAPI Specification 3.1), as `GET /openapi.json` answers it.
 *
 * @example
 * import { openApiDocument } from '@pinfold/http-express';
 *
 * JSON.stringify(openApiDocument({ publicUrl: 'https://pages.example' }));
 */
export function openApiDocument({
  publicUrl: text,
  limits = defaultLimits,
  signIn,
  history = true,
  views = true,
  administration = true,
}: OpenApiOptions): JsonObject {
  const document = documentOf(publicUrl(text), limits, { history, views, administration });
  return signIn === undefined ? document : describeSignIn(document, signIn);
}

function documentOf(
  url: PublicUrl,
  limits: Limits,
  { history, views, administration }: Required<Pick<OpenApiOptions, 'history' | 'views' | 'administration'>>,
): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Pinfold',
      version: '1',
      summary: 'Publish a ZIP of a static site and share it by URL.',
      description:
        'HEAD is answered as GET, without the body. Under /api/v1 the key is checked before unknown paths (404) and ' +
        'methods (405). Every query parameter must be known and come once.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: [{ apiKey: [] }],
    ...(administration ? { tags: [administrationTag] } : {}),
    paths: { ...paths(url, limits, { history, views }), ...(administration ? administrationPaths(url) : {}) },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `pf_<key id>_<secret>`.' },
      },
      schemas: { ...componentSchemas(limits, views), ...(administration ? administrationSchemas() : {}) },
      headers: componentHeaders(),
      responses: {
        Unauthorized: problem(['unauthorized']),
        NotFound: problem(['not_found']),
        MethodNotAllowed: problem(['method_not_allowed']),
      },
    },
  };
}
