import { randomUUID } from 'node:crypto';
import { fromJsonSchema, type McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { type Pin, PinfoldError } from '@pinfold/client';
import type { Refusal } from '@pinfold/core';
import { openApiDocument } from '@pinfold/http-express';
import { isWireCode, problemOf, refuseRequest } from '@pinfold/http-express/internal/problems';
import {
  CommandFailure,
  formatReason,
  toFailureJson,
  UnavailableError,
  UsageError,
} from '../command-line/failures.ts';
import { escapeControlsInLines } from '../command-line/terminal.ts';
import { type Publications, readReference, resolveId } from '../publishing/publications.ts';
import { joinSentences } from '../publishing/refusal-text.ts';
import type { FileContent } from './publishing-tools.ts';
import type { Roots } from './roots.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ToolContext {
  readonly publications: Publications;
  readonly roots: Roots;
  /** Tracks a call until it ends. */
  readonly track: (call: Promise<unknown>) => void;
  readonly err: (line: string) => void;
}

/** Hints about a tool that a client may show to its user before a call. */
interface Annotations {
  readonly readOnlyHint: boolean;
  /** Whether the tool can end or change what viewers see. */
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly output: Json;
  readonly annotations: Annotations;
  readonly run: (args: Arguments, context: ToolContext) => Promise<ToolResult>;
}

/** Arguments that match the input schema. */
export interface Arguments {
  readonly path?: string;
  readonly html?: string;
  readonly files?: readonly FileContent[];
  readonly title?: string | null;
  readonly password?: string | null;
  readonly name?: string;
  readonly pin?: string;
  readonly idempotency_key?: string;
  readonly state?: Pin['state'];
  readonly limit?: number;
  readonly cursor?: string;
  readonly id?: string;
}

export const READS: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

export const string = (description: string): Json => ({ type: 'string', description });
export const stringOrNull = (description: string): Json => ({ type: ['string', 'null'], description });
export const PAGE: Readonly<Record<'limit' | 'cursor', Json>> = {
  limit: { type: 'integer', minimum: 1, maximum: 100, description: '20 when absent.' },
  cursor: string('The next_cursor of an earlier page.'),
};

/** The schemas of the API's answers. Their references are inlined below, because MCP clients do not resolve them. */
const { schemas } = openApiDocument({ publicUrl: 'https://share.example' }).components as {
  readonly schemas: Readonly<Record<string, unknown>>;
};

/** In every output schema, because some clients check the answer of a failed tool against it, too. */
const PROBLEM = {
  code: string('Only if the tool failed: the code of the problem.'),
  detail: string('What is wrong.'),
  suggestion: string('What to do.'),
  retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
};

/** The output schema of a tool: a schema of the API by its name, or a new object, with further members. */
export function schemaOf(name: string | undefined, more: Readonly<Record<string, Json>> = {}): Json {
  const { required, properties, ...schema } = (
    name === undefined ? { type: 'object', required: [], properties: {} } : inlineReferences(schemas[name])
  ) as Json & { readonly required: readonly string[]; readonly properties: Json };
  return {
    ...schema,
    properties: { ...properties, ...more, ...PROBLEM },
    anyOf: [{ required: [...required, ...Object.keys(more)] }, { required: Object.keys(PROBLEM) }],
  };
}

function inlineReferences(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(inlineReferences);
  if ('$ref' in schema) return inlineReferences(schemas[String(schema.$ref).split('/').at(-1) ?? '']);
  return Object.fromEntries(
    Object.entries(schema).map(([member, value]) => [member, inlineReferences(value)]),
  );
}

/** A member of a schema of the API, such as `views` of `ViewedPinAnswer`. */
export function memberSchema(name: string, member: string): Json {
  return (
    ((inlineReferences(schemas[name]) as Json).properties as Readonly<Record<string, Json>>)[member] ?? {}
  );
}

/** Resolves the publication in an argument: its id, one of its URLs, or the URL of a name that shows it. */
export function resolvePublication(
  { id = '' }: Pick<Arguments, 'id'>,
  publications: Publications,
  argument: string = 'id',
): Promise<string> {
  return resolveId(readReference(id, argument), publications);
}

export function formatPin({ shared_url, state, title, expires_at, password_protected }: Pin): string {
  const end = state === 'published' ? `expires ${expires_at ?? 'never'}` : state;
  const named = title === null ? '' : `, "${title}"`;
  return `${shared_url} (${end}${password_protected ? ', with a password' : ''}${named})`;
}

/** Warns if a name now shows a publication without a password. */
export function warnIfOpen(name: string, { password_protected }: Pin): readonly string[] {
  return password_protected
    ? []
    : [`${name} now shows a publication without a password: anyone with its link can open it.`];
}

export function result(lines: readonly string[], structuredContent: Record<string, unknown>): ToolResult {
  const text = lines.map(escapeControlsInLines).join('\n');
  return { content: [{ type: 'text', text }], structuredContent };
}

/** Registers a tool. A failure becomes an answer, so that it does not end the process. */
export function registerTool(server: McpServer, tool: Tool, context: ToolContext): void {
  const { name, title, description, input, required = [], output, annotations, run } = tool;
  const inputSchema = fromJsonSchema<Arguments>({
    type: 'object',
    properties: input,
    required,
    additionalProperties: false,
  });
  const outputSchema = fromJsonSchema(output);
  const call = async (args: unknown): Promise<ToolResult> => {
    try {
      return await run(await checkArguments(inputSchema, args), context);
    } catch (thrown) {
      const error = context.publications.toFailure(thrown);
      const isRefusal = error instanceof CommandFailure || error instanceof UsageError;
      if (!isRefusal) context.err(`pinfold: ${name} failed: ${formatReason(error)}`);
      return toolError(error, name === 'publish');
    }
  };
  const config = {
    title,
    description,
    annotations: { ...annotations },
    inputSchema: withoutCheck(inputSchema),
    outputSchema,
  };
  server.registerTool(name, config, (args) => {
    const running = call(args);
    context.track(running);
    return running;
  });
}

/** The same schema, which accepts everything: a refusal of the library would have no problem document. */
function withoutCheck<Schema extends StandardSchemaWithJSON>(schema: Schema): Schema {
  return { ...schema, '~standard': { ...schema['~standard'], validate: (value: unknown) => ({ value }) } };
}

async function checkArguments<Checked>(
  schema: StandardSchemaWithJSON<Checked>,
  args: unknown = {},
): Promise<Checked> {
  const checked = await schema['~standard'].validate(args);
  if (checked.issues === undefined) return checked.value;
  const reasons = checked.issues.map(({ message }) => message.replace(/\bdata\b\/?/g, '').trim());
  throw new UsageError(`the arguments are wrong: ${reasons.join(', ')}`);
}

export interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
  readonly [member: string]: unknown;
}

/** The result of a failed tool call: the problem document, and a sentence with advice. */
function toolError(error: unknown, publishing: boolean): ToolResult {
  const problem = createProblem(error, publishing);
  const isReadable = error instanceof CommandFailure;
  const detail = isReadable ? error.message : joinSentences(problem.detail, problem.errors);
  const text = `${detail.replace(/\.?$/, '.')} ${problem.suggestion}`;
  return {
    content: [{ type: 'text', text: escapeControlsInLines(text) }],
    structuredContent: { ...problem },
    isError: true,
  };
}

/** The ZIP is made by the tool, so the advice is about the content instead of the ZIP. */
const ADVICE = {
  invalid_archive: { advice: 'Correct what you publish and call the tool again' },
  archive_too_large: { advice: 'Publish less and call the tool again' },
};

interface ProblemDocument {
  readonly detail: string;
  readonly suggestion: string;
  readonly retryable: boolean;
  readonly [member: string]: unknown;
  readonly errors?: readonly { readonly detail: string }[];
}

function createProblem(error: unknown, publishing: boolean): ProblemDocument {
  const json = toFailureJson(error) ?? { code: 'internal_error', detail: 'failed' };
  const key = json.idempotency_key === undefined ? {} : { idempotency_key: json.idempotency_key };
  const cause = error instanceof Error ? error.cause : undefined;
  const requestId = (cause instanceof PinfoldError && cause.requestId) || randomUUID();
  const refusal = findRefusal(cause);
  // A call with wrong arguments has no key that could be sent again.
  const hasKey = publishing && !(error instanceof UsageError);
  if (refusal !== undefined)
    return { ...problemOf(refusal, { requestId, publishing: hasKey, words: ADVICE }), ...key };
  const retryable = error instanceof UnavailableError;
  return {
    type: `urn:pinfold:problem:${json.code}`,
    title: 'The tool could not do this',
    code: json.code,
    detail: json.detail,
    retryable,
    suggestion: retryable
      ? `Try again later${publishing ? ' with the same idempotency_key' : ''}.`
      : 'Correct the problem in the detail, and call the tool again.',
    ...key,
  };
}

function findRefusal(cause: unknown): Parameters<typeof problemOf>[0] | undefined {
  if (cause instanceof PinfoldError) {
    const { code, detail, errors } = cause;
    return isWireCode(code) ? refuseRequest(code, { detail, errors }) : undefined;
  }
  const isRefusal =
    typeof cause === 'object' && cause !== null && 'kind' in cause && cause.kind === 'refused';
  return isRefusal ? (cause as Refusal) : undefined;
}
