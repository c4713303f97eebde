import { randomUUID } from 'node:crypto';
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { Change, Pin } from '@pinfold/client';
import { parseIdempotencyKey, parsePassword } from '@pinfold/core';
import { openApiDocument } from '@pinfold/http-express';
import { refuseRequest, type WireWarning } from '@pinfold/http-express/internal';
import { readState } from '../command-line/arguments.ts';
import { escapeControlsInLines } from '../command-line/escape-control-characters.ts';
import { CommandFailure, reasonOf, UsageError } from '../command-line/failures.ts';
import { type PackedPath, packPage } from '../publishing/pack.ts';
import { readReference } from '../publishing/publication-reference.ts';
import { idOf, type Publications, refuseUnprotected } from '../publishing/publications.ts';
import { warningText } from '../publishing/warning-text.ts';
import type { Roots } from './roots.ts';
import { type ToolResult, toolError } from './tool-error.ts';

type Json = Readonly<Record<string, unknown>>;

export interface ToolContext {
  readonly publications: Publications;
  readonly roots: Roots;
  /** Takes each call of a tool until it ends. */
  readonly follow: (call: Promise<unknown>) => void;
  readonly err: (line: string) => void;
}

interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  /** Members of its output, beside those of the API's answer. */
  readonly output: Json;
  readonly hints: Json;
  readonly run: (given: Arguments, context: ToolContext) => Promise<ToolResult>;
}

/** Arguments, whose types the input schema has checked. */
interface Arguments {
  readonly path?: string;
  readonly html?: string;
  readonly title?: string | null;
  readonly password?: string | null;
  readonly name?: string;
  readonly idempotency_key?: string;
  readonly state?: Pin['state'];
  readonly limit?: number;
  readonly cursor?: string;
  readonly id?: string;
}

const string = (description: string): Json => ({ type: 'string', description });
const orNull = (description: string): Json => ({ type: ['string', 'null'], description });
const LEFT_OUT = { type: 'array', items: { type: 'string' }, description: 'Paths that were not packed.' };
const ID = { id: string('The id of the publication, or its shared URL.') };
const CONTENT = {
  path: string('A folder with an index.html, a .zip or an .html. Give either this or html.'),
  html: string('The source of a single page. Give either this or path.'),
};

/** The schemas of the API's answers, without references: clients of tools resolve none. */
const { schemas: answers } = openApiDocument({ publicUrl: 'https://share.example' }).components as {
  readonly schemas: Readonly<Record<string, unknown>>;
};

/** Some clients compare the answer of a failed tool with its output schema, too. */
const PROBLEM = {
  code: string('Only where the tool failed: the code of the problem.'),
  detail: string('What is wrong.'),
  suggestion: string('What to do.'),
  retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
};

function answer(name: string, more: Readonly<Record<string, Json>> = {}): Json {
  const { required, properties, ...schema } = inlined(answers[name]) as Json & {
    readonly required: readonly string[];
    readonly properties: Json;
  };
  return {
    ...schema,
    properties: { ...properties, ...more, ...PROBLEM },
    anyOf: [{ required: [...required, ...Object.keys(more)] }, { required: Object.keys(PROBLEM) }],
  };
}

function inlined(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(inlined);
  if ('$ref' in schema) return inlined(answers[String(schema.$ref).split('/').at(-1) ?? '']);
  return Object.fromEntries(Object.entries(schema).map(([member, value]) => [member, inlined(value)]));
}

/** A tool that works with one publication, needs all its arguments, and answers with the publication. */
function aboutPin({
  input,
  ...tool
}: Omit<Tool, 'input' | 'required' | 'output'> & Partial<Pick<Tool, 'input'>>): Tool {
  const members = { ...ID, ...input };
  return { ...tool, input: members, required: Object.keys(members), output: answer('PinAnswer') };
}

const TOOLS: readonly Tool[] = [
  {
    name: 'publish',
    title: 'Publish a site',
    description:
      'Publishes a folder, a ZIP or a page as a website, and answers with the URL to share. It expires after some days.',
    input: {
      ...CONTENT,
      title: string('A title for the owner; viewers do not see it.'),
      password: orNull('Viewers need it to open the site. Null: none, even for a name that had one.'),
      name: string('A name whose URL always shows the newest publication under it: a to z, 0 to 9 and "-".'),
      idempotency_key: string(
        'The same key with the same content publishes once: give the key of a failed call to repeat it.',
      ),
    },
    output: answer('Publication', {
      idempotency_key: { type: 'string' },
      replayed: { type: 'boolean', description: 'Whether it was published before with this key.' },
      left_out: LEFT_OUT,
    }),
    hints: { destructiveHint: false },
    run: publish,
  },
  {
    name: 'check',
    title: 'Check a site',
    description: 'Checks what publish would send, and publishes nothing.',
    input: CONTENT,
    output: answer('DryRun', { left_out: LEFT_OUT }),
    hints: { readOnlyHint: true },
    run: async (given, { publications, roots }) => {
      const { leftOut, ...packed } = await pack(given, roots);
      const checked = await publications.check({ ...packed, title: undefined, idempotencyKey: randomUUID() });
      const size = `It can be published: ${checked.archive.file_count} files, ${checked.archive.size} bytes.`;
      return result([size, ...warningLines(checked.warnings)], { pin: null, ...checked, left_out: leftOut });
    },
  },
  {
    name: 'list',
    title: 'List publications',
    description: 'Lists the publications of the account, newest first, without stopped ones.',
    input: {
      state: {
        type: 'string',
        enum: ['published', 'expired', 'deleted'],
        description: 'Only those in this state.',
      },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: '20 when absent.' },
      cursor: string('The next_cursor of an earlier page.'),
    },
    output: answer('PinList'),
    hints: { readOnlyHint: true },
    run: async ({ state, limit, cursor }, { publications }) => {
      const page = await publications.listPage({ limit, cursor, state: state && readState(state) });
      return result(page.pins.length === 0 ? ['There are none.'] : page.pins.map(lineOf), { ...page });
    },
  },
  aboutPin({
    name: 'get',
    title: 'Read a publication',
    description: 'Reads a publication in any state.',
    hints: { readOnlyHint: true },
    run: async (given, { publications }) => ofPin(await publications.get(await idIn(given, publications))),
  }),
  aboutPin({
    name: 'rename',
    title: 'Change the title',
    description: 'Changes the title of a publication.',
    input: { title: orNull('The new title; null removes it.') },
    hints: { destructiveHint: false, idempotentHint: true },
    run: (given, context) => change(given, { title: given.title ?? null }, context),
  }),
  aboutPin({
    name: 'set_password',
    title: 'Set or remove the password',
    description: 'Protects a publication with a password, or removes it. Every viewer has to enter it anew.',
    input: { password: orNull('The new password; null removes the protection.') },
    hints: { destructiveHint: false },
    run: (given, context) => change(given, { password: given.password ?? null }, context),
  }),
  aboutPin({
    name: 'renew',
    title: 'Renew a publication',
    description: 'Lets a publication expire later: the time of a renewal from now.',
    hints: { destructiveHint: false },
    run: (given, context) => change(given, { reset_expiration: true }, context),
  }),
  aboutPin({
    name: 'stop',
    title: 'Stop a publication',
    description: 'Stops a publication for good: viewers can no longer see it.',
    hints: { destructiveHint: true, idempotentHint: true },
    run: async (given, { publications }) => {
      const id = await idIn(given, publications);
      try {
        await publications.stop(id);
      } catch (error) {
        if (!(error instanceof CommandFailure) || error.json?.code !== 'invalid_state') throw error;
      }
      return ofPin(await publications.get(id));
    },
  }),
];

/** Registers the tools. A failed call is an answer, not the end of the process. */
export function registerTools(server: McpServer, context: ToolContext): void {
  for (const { name, title, description, input, required = [], output, hints, run } of TOOLS) {
    const inputSchema = { type: 'object', properties: input, required, additionalProperties: false };
    const call = async (given: Arguments): Promise<ToolResult> => {
      try {
        return await run(given, context);
      } catch (error) {
        const isRefusal = error instanceof CommandFailure || error instanceof UsageError;
        if (!isRefusal) context.err(`pinfold: ${name} failed: ${reasonOf(error)}`);
        return toolError(error, name === 'publish');
      }
    };
    server.registerTool(
      name,
      {
        ...{ title, description, annotations: hints, outputSchema: fromJsonSchema(output) },
        inputSchema: fromJsonSchema<Arguments>(inputSchema),
      },
      (given) => {
        const called = call(given);
        context.follow(called);
        return called;
      },
    );
  }
}

async function publish(given: Arguments, { publications, roots }: ToolContext): Promise<ToolResult> {
  const { leftOut, ...packed } = await pack(given, roots);
  const { title, password, name, idempotency_key: idempotencyKey = randomUUID() } = given;
  expectSendable(idempotencyKey, password);
  await refuseUnprotected(publications, given, 'a password, or null');
  const published = await publications
    .publish({ ...packed, title: title ?? undefined, idempotencyKey, name, password: password ?? undefined })
    .catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
      const json = { code: 'failed', detail: error.message, ...error.json, idempotency_key: idempotencyKey };
      const Failure = error.constructor as typeof CommandFailure;
      throw new Failure(error.message, { cause: error.cause, json });
    });
  const lines = [
    `${published.replayed ? 'It was published before' : 'Published'}: ${lineOf(published.pin)}`,
    ...(published.name ? [`Under its name: ${published.name.url}`] : []),
    ...warningLines(published.warnings),
    ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join(', ')}`]),
  ];
  return result(lines, { ...published, idempotency_key: idempotencyKey, left_out: leftOut });
}

/** Headers cannot carry every text that JSON can. Lengths are for the service to judge. */
function expectSendable(key: string, password: string | null | undefined): void {
  for (const parsed of [
    parseIdempotencyKey(key, { idempotencyKeyCharacters: Infinity }),
    parsePassword(password ?? null, { passwordMinCharacters: 0, passwordMaxBytes: Infinity }),
  ]) {
    if (typeof parsed === 'object' && parsed !== null) throw new UsageError(parsed.code, { cause: parsed });
  }
}

async function change(given: Arguments, change: Change, { publications }: ToolContext): Promise<ToolResult> {
  return ofPin(await publications.update(await idIn(given, publications), change));
}

function pack({ path, html }: Arguments, roots: Roots): Promise<PackedPath> {
  if (path !== undefined && html === undefined) return roots.pack(path);
  if (html !== undefined && path === undefined) return packPage('page', new TextEncoder().encode(html));
  const detail = 'Give exactly one of path and html.';
  throw new UsageError(detail, { cause: refuseRequest('invalid_request', { detail }) });
}

async function idIn({ id = '' }: Arguments, publications: Publications): Promise<string> {
  return idOf(readReference(id, 'id'), publications);
}

function ofPin(pin: Pin): ToolResult {
  return result([lineOf(pin)], { pin });
}

function lineOf({ shared_url, state, title, expires_at, password_protected }: Pin): string {
  const end = state === 'published' ? `expires ${expires_at ?? 'never'}` : state;
  const named = title === null ? '' : `, "${title}"`;
  return `${shared_url} (${end}${password_protected ? ', with a password' : ''}${named})`;
}

function warningLines(warnings: readonly WireWarning[]): readonly string[] {
  return warnings.map((warning) => `Warning: ${warningText(warning)}`);
}

function result(lines: readonly string[], structuredContent: Record<string, unknown>): ToolResult {
  const text = lines.map(escapeControlsInLines).join('\n');
  return { content: [{ type: 'text', text }], structuredContent };
}
