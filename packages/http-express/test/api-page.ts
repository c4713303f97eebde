// Writes docs/api.md, the API documents as a page for people: `pnpm --filter @pinfold/http-express api`.
import { join } from 'node:path';
import { administrationDocument, openApiDocument } from '../src/index.ts';

/** The path of the page. */
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

/** Headers that every answer has, or that are described with the errors. */
const USUAL = new Set(['X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit']);
/** Objects that are described elsewhere: an error in docs/wire.md, a page above the operations. */
const ELSEWHERE = /^Problem(?:Error)?$|List$/;
/** The operations that return the documents, with which the page starts. */
const SELF = /\/(?:openapi\.json|llms\.txt)$/;
const MAX_LISTED = 9;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const OPTIONS = { publicUrl: 'https://share.example' };

/** The parts that the page describes once for several operations. */
interface Shared {
  readonly parameters: ReadonlySet<string>;
  readonly errors: ReadonlySet<string>;
}

/** The text of the page. */
export function apiPage(): string {
  const [api, administration] = [openApiDocument(OPTIONS), administrationDocument(OPTIONS)].map(
    (document) => JSON.parse(JSON.stringify(document)) as Document,
  );
  if (api === undefined || administration === undefined) throw new TypeError('there are two documents');
  const shared = sharedBy(api);
  return [
    '# API reference',
    `*Reference.* Every operation, made from the API documents that each server has at \`/openapi.json\` and \`/admin/openapi.json\`. \`/llms.txt\` has what an agent needs to publish. How they are used together is in [wire.md](wire.md), and the typed client in [embedding/publish-from-code.md](embedding/publish-from-code.md).`,
    'Send the API key as `Authorization: Bearer KEY`. Every answer has an `X-Request-Id`; give it to the operator when something is wrong.',
    `Many operations answer with ${codesOf([...shared.errors])}; [wire.md](wire.md#errors) says when, and what an error looks like. Each operation lists its other errors. A list is answered page by page: \`next_cursor\` is for the next page, with the same parameters, and null on the last one. These parameters belong to several operations:`,
    [...shared.parameters].join('\n'),
    ...operationsOf(api, shared),
    '## Objects',
    ...objectsOf(api),
    '# Administration',
    'For keys of the scope `admin`, which only [the command](operators/administration.md) creates. Any other key gets 404. `/admin/openapi.json` has parameters, bodies and answers.',
    summaryOf(administration),
    '',
  ].join('\n\n');
}

function operationsIn(document: Document): readonly (readonly [string, string, PathItem, Operation])[] {
  const described = Object.entries(document.paths).filter(([path]) => !SELF.test(path));
  return described.flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [[path, method, item, operation] as const];
    }),
  );
}

function parametersOf(item: PathItem, operation: Operation): readonly Parameter[] {
  return [...(item.parameters ?? []), ...(operation.parameters ?? [])];
}

/** The operations whose members are described only in the document. */
function summaryOf(document: Document): string {
  const lines = operationsIn(document).map(([path, method, , { summary, description = '' }]) => {
    const meaning = description === '' ? '' : ` ${description.replaceAll(/\s*\n\s*/g, ' ')}`;
    return `- \`${method.toUpperCase()} ${path}\`: ${summary}.${meaning}`;
  });
  return lines.join('\n');
}

function sharedBy(document: Document): Shared {
  const lines = new Map<string, { readonly name: string; times: number }>();
  const errors = new Map<string, number>();
  let operations = 0;
  for (const [, , item, operation] of operationsIn(document)) {
    for (const parameter of parametersOf(item, operation)) {
      const line = parameterLine(parameter);
      const counted = lines.get(line) ?? { name: parameter.name, times: 0 };
      counted.times += 1;
      lines.set(line, counted);
    }
    operations += 1;
    for (const code of new Set(errorsAt(document, operation))) errors.set(code, (errors.get(code) ?? 0) + 1);
  }
  const repeated = [...lines].filter(([, { times }]) => times > 1);
  const names = repeated.map(([, { name }]) => name);
  // A name with two meanings is described at its operations.
  const unique = repeated.filter(([, { name }]) => names.indexOf(name) === names.lastIndexOf(name));
  return {
    parameters: new Set(unique.map(([line]) => line)),
    errors: new Set([...errors].flatMap(([code, times]) => (times > operations / 4 ? [code] : []))),
  };
}

function operationsOf(document: Document, shared: Shared): readonly string[] {
  return operationsIn(document).flatMap(([path, method, item, operation]) => [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    ...(operation.description === undefined ? [] : [operation.description]),
    ...parametersText(parametersOf(item, operation), shared),
    ...bodyOf(document, operation),
    ...answersOf(document, operation, shared),
  ]);
}

function parametersText(parameters: readonly Parameter[], shared: Shared): readonly string[] {
  const lines = parameters.map((parameter) => [parameter, parameterLine(parameter)] as const);
  const above = lines.flatMap(([{ name }, line]) => (shared.parameters.has(line) ? [`\`${name}\``] : []));
  const own = lines.flatMap(([, line]) => (shared.parameters.has(line) ? [] : [line]));
  const named = above.length === 0 ? [] : [`Parameters: ${above.join(', ')}${own.length > 0 ? ', and' : ''}`];
  return [...named, ...(own.length === 0 ? [] : [own.join('\n')])];
}

function parameterLine({ name, in: place, required, description, schema }: Parameter): string {
  const type = `${place}, ${describe(schema)}${required === true && place !== 'path' ? ', required' : ''}`;
  return item(name, type, description);
}

function item(name: string, type: string, meaning = ''): string {
  return `- \`${name}\` (${type})${meaning === '' ? '' : `: ${meaning.replaceAll(/\s*\n\s*/g, ' ')}`}`;
}

function codesOf(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function bodyOf({ components }: Document, { requestBody }: Operation): readonly string[] {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined || content?.schema === undefined) return [];
  const name = content.schema.$ref?.split('/').at(-1);
  const schema = name === undefined ? content.schema : (components.schemas[name] ?? {});
  return [`Body: \`${type}\``, ...membersOf(schema)];
}

function answersAt(
  { components }: Document,
  { responses }: Operation,
): readonly (readonly [string, Response])[] {
  return Object.entries(responses).map(([status, response]) => {
    const named = response.$ref?.split('/').at(-1);
    return [status, named === undefined ? response : (components.responses[named] ?? {})];
  });
}

function errorsAt(document: Document, operation: Operation): readonly string[] {
  return answersAt(document, operation).flatMap(([, { content = {} }]) =>
    Object.keys(content['application/problem+json']?.examples ?? {}),
  );
}

function answersOf(document: Document, operation: Operation, shared: Shared): readonly string[] {
  const answers = answersAt(document, operation);
  const successes = answers.filter(([status]) => Number(status) < 400);
  const lines = successes.map(([status, { description = '', headers = {}, content = {} }]) => {
    const [body] = Object.values(content);
    const own = Object.keys(headers).filter((name) => !USUAL.has(name));
    const kind = body?.schema === undefined ? '' : ` Body: ${bodyText(document, body.schema)}.`;
    const sent = own.length === 0 ? '' : ` Headers: ${codesOf(own)}.`;
    return `- ${status}: ${description.replaceAll(/\s*\n\s*/g, ' ')}${kind}${sent}`;
  });
  const special = errorsAt(document, operation).filter((code) => !shared.errors.has(code));
  if (special.length > 0) lines.push(`- Other errors: ${codesOf(special)}`);
  return ['Answers:', lines.join('\n')];
}

/** An object with one member, and a page of a list, are described at the operations that return them. */
function bodyText({ components }: Document, schema: Schema): string {
  const schemaName = schema.$ref?.split('/').at(-1) ?? '';
  const members = Object.entries(components.schemas[schemaName]?.properties ?? {});
  if (members.length !== 1 && !ELSEWHERE.test(schemaName)) return describe(schema);
  const written = members.map(([name, member]) =>
    name === 'next_cursor' ? name : `${name}: ${describe(member)}`,
  );
  return `\`{ ${written.join(', ')} }\``;
}

function objectsOf({ components, paths }: Document): readonly string[] {
  const bodies = Object.values(paths).flatMap((item) =>
    METHODS.flatMap((method) => Object.values(item[method]?.requestBody?.content ?? {})),
  );
  // A body is described at its operation.
  const elsewhere = new Set(bodies.map(({ schema }) => schema?.$ref?.split('/').at(-1)));
  return Object.entries(components.schemas).flatMap(([name, schema]) => {
    const isElsewhere = elsewhere.has(name) || ELSEWHERE.test(name);
    const isWrittenOut = Object.keys(schema.properties ?? {}).length === 1;
    const members = isElsewhere || isWrittenOut ? [] : membersOf(schema);
    return members.length === 0 ? [] : [`### ${name}`, ...members];
  });
}

function membersOf(schema: Schema): readonly string[] {
  const forms = schema.properties === undefined ? (schema.oneOf ?? schema.anyOf ?? []) : [schema];
  const lines = forms.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([name, member]) =>
      item(name, `${describe(member)}${required.includes(name) ? '' : ', optional'}`, member.description),
    ),
  );
  return lines.length === 0 ? [] : [[...new Set(lines)].join('\n')];
}

function describe(schema: Schema): string {
  if (schema.$ref !== undefined) {
    return schema.$ref.split('/').at(-1) ?? '';
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) {
    // Codes, rules and types of events are described in docs/wire.md and docs/operators/history.md.
    if (schema.enum.length > MAX_LISTED) return 'string';
    return schema.enum.map((value) => `\`${value}\``).join(', ') + byDefault(schema);
  }
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
