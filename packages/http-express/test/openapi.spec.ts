import { readFile } from 'node:fs/promises';
import { accountId, days, defaultLimits, hours, OPERATOR } from '@pinfold/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import type { Endpoint } from '../src/endpoint.ts';
import { readAgentGuide, readDocument } from '../src/endpoints/documents.ts';
import { endpoints, operatorEndpoints } from '../src/endpoints/index.ts';
import { administrationDocument, openApiDocument } from '../src/index.ts';
import { problemTable, type WireCode } from '../src/problems/problem-table.ts';
import { openAdministered } from './administered.ts';
import { API_PAGE, apiPage } from './api-page.ts';
import { ask } from './client.ts';
import { CHECKS_FILE, compiledChecks } from './compile-checks.ts';

type Json = { readonly [name: string]: Json };

const options = { publicUrl: 'https://share.example' };
const document = openApiDocument(options) as Json;
const administration = administrationDocument(options) as Json;
const documents = [document, administration];
const paths: Json = { ...document.paths, ...administration.paths };

/** Every object of the document with a schema and examples beside it. */
function* contents(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  const json = value as Json;
  if (json.schema !== undefined && json.examples !== undefined) yield json;
  for (const member of Object.values(json)) yield* contents(member);
}

const moreThan = (max: number) => (list: readonly unknown[]) => Array(max + 1).fill(list[0]);

/** Invalid values by their place in an example; a function makes one from the example's value. */
const WRONG_VALUES: Readonly<Record<string, unknown>> = {
  type: 'about:blank',
  detail: '',
  suggestion: '',
  instance: 'urn:uuid:1',
  'errors.0.rule': 'No rule',
  'errors.0.detail': '',
  errors: moreThan(20),
  errors_omitted: -1,
  'pin.id': '1',
  'pin.shared_url': 'share.example',
  'pin.published_at': '2026-11-20',
  'pin.original_filename': '',
  'pin.size': -1,
  'pin.sha256': '1',
  pins: moreThan(100),
  events: moreThan(100),
  warnings: moreThan(20),
  'views.0.day': '20 November',
  'name.name': 'A',
  'name.url': 'share.example',
  'name.pin': '1',
  'account.name': '',
  'account.limits.sites': -1,
  'account.blocked.reason': '',
  'events.0.id': '1',
  'grant.url': 'share.example',
  'limits.lifetime_days': 0,
  'rates.requests.window_seconds': 0,
};

/** A value with another one at a place; undefined if it has no such place. */
function changedAt(value: unknown, place: string, wrong: unknown): unknown {
  const changed = structuredClone(value);
  const names = place.split('.');
  const last = names.pop() ?? '';
  const at = names.reduce((found, name) => found?.[name], changed as Json | null | undefined);
  if (typeof at !== 'object' || at?.[last] === undefined) return undefined;
  Object.assign(at, { [last]: typeof wrong === 'function' ? wrong(at[last]) : wrong });
  return changed;
}

/** The codes that an operation documents. */
function codesOf(method: string, path: string): readonly string[] {
  const responses = Object.values(paths[path]?.[method]?.responses ?? {});
  return responses.flatMap((response) => {
    const problem = response.content?.['application/problem+json'];
    return Object.keys(problem?.examples ?? {});
  });
}

describe('The API documents', () => {
  it('are the source of the page about the API', async () => {
    expect(await readFile(API_PAGE, 'utf8'), 'run `pnpm --filter @pinfold/http-express api`').to.equal(
      apiPage(),
    );
  });

  it('are the source of the compiled checks of requests', async () => {
    const isCurrent = (await readFile(CHECKS_FILE, 'utf8')) === compiledChecks();
    expect(isCurrent, 'run `pnpm --filter @pinfold/http-express checks`').to.equal(true);
  });

  it('have every operation, each with an id of its own', () => {
    const operations = ({ paths = {} }: Json) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.entries(item)
          .filter(([name]) => name !== 'parameters')
          .map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
      );
    const expected = (all: readonly Pick<Endpoint<never>, 'method' | 'path' | 'id'>[]) =>
      all.map(({ method, path, id }) => `${method} ${path} ${id}`);
    expect(operations(document)).to.have.members(expected([...endpoints, readDocument, readAgentGuide]));
    expect(operations(administration)).to.have.members(expected(operatorEndpoints));
    const ids = JSON.stringify(paths).match(/"operationId":"\w+"/g) ?? [];
    expect(ids.length).to.be.greaterThan(10);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('do not mention each other', () => {
    expect(JSON.stringify(document)).not.to.match(/admin|Administered|Takedown"|AccountList/);
    for (const path of Object.keys(administration.paths ?? {})) expect(path).to.match(/^\/admin\//);
  });

  it('contain nothing that is empty, optional or open by mistake', () => {
    const text = JSON.stringify(documents, (name, value) => (name === 'security' ? undefined : value));
    expect(text).not.to.match(/[[:,](?:""|\{\}|\[\])/);
    expect(text).not.to.match(/"additionalProperties":true|"required":false/);
  });

  it('require an API key everywhere but for themselves and the guide for agents', () => {
    for (const { security, components } of documents) {
      expect(security).to.deep.equal([{ apiKey: [] }]);
      expect(components?.securitySchemes).to.have.nested.include({
        'apiKey.type': 'http',
        'apiKey.scheme': 'bearer',
      });
    }
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.values(item).flatMap(({ security }) => (security === undefined ? [] : [{ path, security }])),
    );
    expect(operations).to.deep.equal([
      { path: '/openapi.json', security: [] },
      { path: '/llms.txt', security: [] },
    ]);
  });

  it('require every body except optional ones', () => {
    const optional = Object.entries(paths).filter(([, item]) =>
      Object.values(item).some(({ requestBody }) => requestBody && requestBody.required === undefined),
    );
    expect(optional.map(([path]) => path)).to.have.members([
      '/api/v1/pins/{id}/grants',
      '/admin/v1/accounts/{name}/erase',
    ]);
  });

  it('describe a wrong body without naming members of another one', () => {
    let details = 0;
    for (const { components, paths = {} } of documents) {
      for (const { requestBody, responses } of Object.values(paths).flatMap((item) => Object.values(item))) {
        const { examples } = responses?.[422]?.content?.['application/problem+json'] ?? {};
        if (examples?.invalid_update === undefined) continue;
        const { schema } = requestBody?.content?.['application/json'] ?? {};
        const name = String(schema?.$ref).replace(/.*\//, '');
        const named = String(examples.invalid_update.value?.detail).match(/"[^"]+"/g) ?? [];
        for (const member of named)
          expect(JSON.stringify(components?.schemas?.[name]), name).to.include(member);
        details += 1;
      }
    }
    expect(details).to.be.greaterThan(3);
  });

  it('declare the tags of operations, and list the parameter that not every service has', () => {
    const tags = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap((one) => (one.tags as unknown as readonly string[] | undefined) ?? []),
    );
    expect(Object.values(administration.tags ?? {}).map(({ name }) => name)).to.deep.equal([
      ...new Set(tags),
    ]);
    const { parameters } = paths['/api/v1/pins/{id}']?.get ?? {};
    expect(parameters).to.have.nested.property('0.name', 'include');
  });

  it('list rate headers only for accounts: reading the document needs no key', () => {
    const headers = (path: string): readonly string[] =>
      Object.keys(paths[path]?.get?.responses?.[200]?.headers ?? {});
    expect(headers('/api/v1/pins')).to.include.members(['RateLimit', 'RateLimit-Policy']);
    expect(headers('/openapi.json')).to.deep.equal(['X-Request-Id', 'Cache-Control', 'ETag']);
  });

  it('contain every code of the table, each under its status', () => {
    const wire = new Set(Object.values(problemTable).map(({ code }) => code));
    const documented = new Set<string>();
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        for (const code of codesOf(method, path)) documented.add(code);
        for (const [status, response] of Object.entries(operation.responses ?? {})) {
          const examples = Object.keys(response.content?.['application/problem+json']?.examples ?? {});
          for (const code of examples) expect(problemTable[code as WireCode].status).to.equal(Number(status));
        }
      }
    }
    documented.add('method_not_allowed');
    expect([...documented]).to.have.members([...wire]);
    const common = ['Unauthorized', 'NotFound', 'MethodNotAllowed'];
    for (const { components } of documents) expect(components?.responses).to.have.all.keys(common);
  });

  it('contain the limits in force', () => {
    const changed = { titleCharacters: 10, lifetime: days(1), renewal: days(3), grantLifetime: hours(5) };
    const limits = { ...defaultLimits, ...changed };
    const text = JSON.stringify(openApiDocument({ publicUrl: 'https://share.example', limits }));
    expect(text)
      .to.include('"lifetime_days":1')
      .and.to.include('"maxLength":10')
      .and.to.include('exactly 3 days from now')
      .and.to.include('after 5 hours');
    expect(text).not.to.include('"maxLength":255,"description":"The management title');
  });

  it('are valid OpenAPI 3.1', async () => {
    for (const one of documents) {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(one)));
      expect(errors).to.equal(undefined);
      expect(valid).to.equal(true);
      expect(validator.version).to.equal('3.1');
    }
  });

  it('have examples that match their schemas, and schemas that refuse other answers', () => {
    const ajv = new Ajv2020({ strict: false });
    const changedPlaces = new Set<string>();
    let checked = 0;
    for (const one of documents) {
      for (const { schema, examples } of contents(one)) {
        const isValid = ajv.compile({ ...schema, components: { schemas: one.components?.schemas } });
        for (const [name, example] of Object.entries(examples ?? {})) {
          expect(isValid(example.value), `${name}: ${JSON.stringify(isValid.errors)}`).to.equal(true);
          checked += 1;
          for (const [place, wrong] of Object.entries(WRONG_VALUES)) {
            const changed = changedAt(example.value, place, wrong);
            if (changed === undefined) continue;
            changedPlaces.add(place);
            expect(isValid(changed), `${name}: ${place}`).to.equal(false);
          }
        }
      }
    }
    expect(checked).to.be.greaterThan(60);
    expect([...changedPlaces]).to.have.members(Object.keys(WRONG_VALUES));
  });
});

describe('GET /admin/openapi.json', () => {
  it('is only for callers with the scope admin', async () => {
    const { rig } = await openAdministered();
    const fields = { by: OPERATOR, account: accountId('operators'), scopes: ['admin'] } as const;
    const { text: key } = await rig.manageKeys.create(fields);
    const read = (headers: Record<string, string>, method = 'GET') =>
      ask(rig, '/admin/openapi.json', { method, headers });
    const as = (authorization: string) => ({ authorization, 'accept-encoding': 'identity' });
    expect((await read(as('Bearer wrong'))).status).to.equal(401);
    for (const method of ['GET', 'POST']) {
      const other = await read(as(`Bearer ${rig.keys.first}`), method);
      expect([other.status, other.headers.get('allow')]).to.deep.equal([404, null]);
    }
    const document = await read(as(`Bearer ${key}`));
    expect(document.status).to.equal(200);
    expect(JSON.parse(document.text)).to.deep.equal(JSON.parse(JSON.stringify(rig.administrationDocument)));
    expect(rig.log.at(-1)?.route).to.equal('/admin/openapi.json');
  });
});
