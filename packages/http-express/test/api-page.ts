// docs/api.md: the API documents as a page for people. `pnpm --filter @pinfold/http-express api` writes it.
import { join } from 'node:path';
import { administrationDocument, openApiDocument } from '../src/index.ts';

/** Where the page lies. */
export const API_PAGE = join(import.meta.dirname, '../../../docs/api.md');

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response>>;
}

type PathItem = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] };

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

/** Headers that every answer has, or whose meaning stands with the errors. */
const USUAL = new Set(['X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit']);
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const OPTIONS = { publicUrl: 'https://share.example' };

/** The text of the page. */
export function apiPage(): string {
  const [api, administration] = [openApiDocument(OPTIONS), administrationDocument(OPTIONS)].map(
    (document) => JSON.parse(JSON.stringify(document)) as Document,
  );
  if (api === undefined || administration === undefined) throw new TypeError('there are two documents');
  const known = new Set(Object.keys(api.components.schemas));
  return [
    '# API reference',
    `*Reference.* Every operation, object and error, made from the API documents that each server has at \`/openapi.json\` and \`/admin/openapi.json\`. \`/llms.txt\` has what an agent needs to publish. How they are used together is in [wire.md](wire.md), and the typed client in [embedding/publish-from-code.md](embedding/publish-from-code.md).`,
    'Send the API key as `Authorization: Bearer KEY`. Every answer has an `X-Request-Id`; tell it to the operator when something is wrong.',
    ...operationsOf(api),
    '## Objects',
    ...objectsOf(api),
    '## Errors',
    'An error is a `Problem`. `retryable` says whether the very same request may succeed later, with the same Idempotency-Key.',
    errorsOf([api, administration]),
    '# Administration',
    'For keys of the scope `admin`, which only [the command](operators/administration.md) creates. Any other key gets 404.',
    ...operationsOf(administration),
    '## Objects of administration',
    ...objectsOf(administration, known),
    '',
  ].join('\n\n');
}

function operationsOf(document: Document): readonly string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [
        `## ${operation.summary}`,
        `\`${method.toUpperCase()} ${path}\``,
        ...(operation.description === undefined ? [] : [operation.description]),
        ...(parameters.length === 0 ? [] : [parametersTable(parameters)]),
        ...bodyOf(document, operation),
        ...answersOf(document, operation),
      ];
    }),
  );
}

function parametersTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    `\`${name}\``,
    place,
    `${describe(schema)}${required === true ? ', required' : ''}`,
    description ?? '',
  ]);
  return table(['parameter', 'in', 'type', 'meaning'], rows);
}

function bodyOf({ components }: Document, { requestBody }: Operation): readonly string[] {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined || content?.schema === undefined) return [];
  const name = content.schema.$ref?.split('/').at(-1);
  const schema = name === undefined ? content.schema : (components.schemas[name] ?? {});
  return [`Body: \`${type}\``, ...membersOf(schema)];
}

function answersOf({ components }: Document, { responses }: Operation): readonly string[] {
  const answers = Object.entries(responses).map(([status, response]) => {
    const named =
      response.$ref === undefined ? response : components.responses[response.$ref.split('/').at(-1) ?? ''];
    return { status, ...named };
  });
  const successes = answers.filter(({ status }) => Number(status) < 400);
  const rows = successes.map(({ status, description = '', headers = {}, content = {} }) => {
    const [body] = Object.values(content);
    const own = Object.keys(headers).filter((name) => !USUAL.has(name));
    const kind = body?.schema === undefined ? '' : describe(body.schema);
    return [status, description, kind, own.map((name) => `\`${name}\``).join(', ')];
  });
  const codes = answers.flatMap(({ content = {} }) =>
    Object.keys(content['application/problem+json']?.examples ?? {}).map((code) => `\`${code}\``),
  );
  const [example] = Object.values(Object.values(successes[0]?.content ?? {})[0]?.examples ?? {});
  return [
    table(['status', 'meaning', 'body', 'headers'], rows),
    ...(codes.length === 0 ? [] : [`[Errors](#errors): ${codes.join(', ')}`]),
    ...(example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example.value, null, 2)}\n\`\`\``]),
  ];
}

function objectsOf({ components }: Document, known: ReadonlySet<string> = new Set()): readonly string[] {
  return Object.entries(components.schemas).flatMap(([name, schema]) => {
    const members = known.has(name) ? [] : membersOf(schema);
    return members.length === 0 ? [] : [`### ${name}`, ...members];
  });
}

function membersOf(schema: Schema): readonly string[] {
  const forms = schema.properties === undefined ? (schema.oneOf ?? schema.anyOf ?? []) : [schema];
  const rows = forms.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, member]) => [
      `\`${name}\``,
      `${describe(member)}${required.includes(name) ? '' : ', optional'}`,
      member.description ?? '',
    ]),
  );
  const unique = [...new Map(rows.map((row) => [row.join('|'), row])).values()];
  return unique.length === 0 ? [] : [table(['member', 'type', 'meaning'], unique)];
}

/** Every error once, from the examples of the documents. */
function errorsOf(documents: readonly Document[]): string {
  const found = new Map<string, readonly string[]>();
  for (const { paths, components } of documents) {
    const operations = Object.values(paths).flatMap((item) =>
      METHODS.flatMap((method) => item[method] ?? []),
    );
    const responses = operations.flatMap((operation) => Object.values(operation.responses));
    for (const response of [...responses, ...Object.values(components.responses)]) {
      for (const { value } of Object.values(response.content?.['application/problem+json']?.examples ?? {})) {
        const { status, code, title, detail, retryable } = value as Readonly<Record<string, unknown>>;
        if (found.has(String(code))) continue;
        found.set(String(code), [
          String(status),
          `\`${code}\``,
          `${title}. ${detail}`,
          retryable === true ? 'yes' : 'no',
        ]);
      }
    }
  }
  const rows = [...found.values()].sort((a, b) => `${a[0]}${a[1]}`.localeCompare(`${b[0]}${b[1]}`));
  return table(['status', 'code', 'meaning', 'retryable'], rows);
}

function describe(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return name;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${value}\``).join(', ') + byDefault(schema);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.map(describe).join(' or ');
  if (schema.items !== undefined) return `list of ${describe(schema.items)}`;
  const types = [schema.type ?? 'object'].flat().join(' or ');
  const { minimum, maximum, maxLength } = schema;
  const range = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  return `${types}${range}${maxLength === undefined ? '' : `, at most ${maxLength} characters`}${byDefault(schema)}`;
}

function byDefault({ default: value }: Schema): string {
  return value === undefined ? '' : ` (default \`${value}\`)`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
