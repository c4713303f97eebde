import type { Change, PinAnswer } from '@pinfold/client';
import { parseName } from '@pinfold/core';
import { readState } from '../command-line/arguments.ts';
import { isRefusedWith, UsageError } from '../command-line/failures.ts';
import { throwNameError } from '../publishing/refusal-text.ts';
import {
  type Arguments,
  formatPin,
  memberSchema,
  PAGE,
  READS,
  resolvePublication,
  result,
  schemaOf,
  string,
  stringOrNull,
  type Tool,
  type ToolContext,
  type ToolResult,
  warnIfOpen,
} from './tool.ts';

const ID = { id: string('The id of the publication, its shared URL, or the URL of a name that shows it.') };

const NAME = { name: string('The name: a to z, 0 to 9 and "-".') };

export const PUBLICATION_TOOLS: readonly Tool[] = [
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
      ...PAGE,
    },
    output: schemaOf('PinList'),
    annotations: READS,
    run: async ({ state, limit, cursor }, { publications }) => {
      const page = await publications.api.listPage({ limit, cursor, state: state && readState(state) });
      return result(page.pins.length === 0 ? ['No results.'] : page.pins.map(formatPin), { ...page });
    },
  },
  {
    name: 'get',
    title: 'Read a publication',
    description:
      'Reads a publication in any state, with its views of the last 30 days and the limits in force.',
    input: ID,
    required: ['id'],
    output: schemaOf('PinAnswer', {
      views: memberSchema('ViewedPinAnswer', 'views'),
      limits: memberSchema('LimitsAnswer', 'limits'),
    }),
    annotations: READS,
    run: async (args, { publications }) => {
      const id = await resolvePublication(args, publications);
      const [{ pin, views = [] }, { limits }] = await Promise.all([
        publications.api.get(id, { views: true }),
        publications.api.limits(),
      ]);
      const viewLines = views.map(({ day, views: count }) => `${day}: ${count} views`);
      return result([formatPin(pin), ...viewLines], { pin, views, limits });
    },
  },
  definePinTool({
    name: 'rename',
    title: 'Change the title',
    description: 'Changes the title of a publication.',
    input: { title: stringOrNull('The new title; null removes it.') },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    run: (args, context) => change(args, { title: args.title ?? null }, context),
  }),
  definePinTool({
    name: 'set_password',
    title: 'Set or remove the password',
    description: 'Sets or removes the password of a publication. Every viewer has to enter a new one.',
    input: { password: stringOrNull('The new password; null removes the protection.') },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    run: (args, context) => change(args, { password: args.password ?? null }, context),
  }),
  definePinTool({
    name: 'renew',
    title: 'Renew a publication',
    description: 'Lets a publication expire later: the period of a renewal, from now.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    run: (args, context) => change(args, { reset_expiration: true }, context),
  }),
  definePinTool({
    name: 'stop',
    title: 'Stop a publication',
    description: 'Stops a publication for good: viewers can no longer see it.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: async (args, { publications }) => {
      const id = await resolvePublication(args, publications);
      try {
        await publications.api.stop(id);
      } catch (error) {
        if (!isRefusedWith(error, 'invalid_state')) throw error;
      }
      return pinResult(await publications.api.get(id));
    },
  }),
  {
    name: 'names',
    title: 'List names',
    description: 'Lists the names of the account, with their URLs and the publication that each shows.',
    input: PAGE,
    output: schemaOf('NameList'),
    annotations: READS,
    run: async ({ limit, cursor }, { publications }) => {
      const page = await publications.api.names.listPage({ limit, cursor });
      const lines = page.names.map(({ name, url, pin }) => `${name}: ${url} (shows ${pin})`);
      return result(lines.length === 0 ? ['No results.'] : lines, { ...page });
    },
  },
  {
    name: 'set_name',
    title: 'Point a name at a publication',
    description: 'Creates a name, or lets it show another publication of the account that is in service.',
    input: { ...NAME, pin: string('The id of the publication, or its shared URL.') },
    required: ['name', 'pin'],
    output: schemaOf('NameAnswer'),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: async ({ name: newName = '', pin: id = '' }, { publications }) => {
      const shown = await resolvePublication({ id }, publications, 'pin');
      const { name } = await publications.api.names.set(checkName('invalid_name', newName), shown);
      const { pin } = await publications.api.get(name.pin);
      return result([`${name.name}: ${name.url} (shows ${name.pin})`, ...warnIfOpen(name.name, pin)], {
        name,
      });
    },
  },
  {
    name: 'delete_name',
    title: 'Delete a name',
    description: 'Deletes a name: its URL shows nothing from then on. Its publications stay as they are.',
    input: NAME,
    required: ['name'],
    output: schemaOf(undefined, { deleted: string('The name.') }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    run: async ({ name = '' }, { publications }) => {
      await publications.api.names.delete(checkName('not_found', name)).catch(throwNameError);
      return result([`${name} is deleted.`], { deleted: name });
    },
  },
];

/** Defines a tool that takes the id of a publication and other required arguments, and returns the publication. */
function definePinTool({
  input,
  ...tool
}: Omit<Tool, 'input' | 'required' | 'output'> & Partial<Pick<Tool, 'input'>>): Tool {
  const members = { ...ID, ...input };
  return { ...tool, input: members, required: Object.keys(members), output: schemaOf('PinAnswer') };
}

async function change(args: Arguments, change: Change, { publications }: ToolContext): Promise<ToolResult> {
  return pinResult(await publications.api.update(await resolvePublication(args, publications), change));
}

function pinResult({ pin }: PinAnswer): ToolResult {
  return result([formatPin(pin)], { pin });
}

/** Returns a valid name. For others, which the client cannot send, it throws the error that the API would answer. */
function checkName(code: 'invalid_name' | 'not_found', name: string): string {
  if (typeof parseName(name) === 'string') return name;
  throw new UsageError(code, { cause: { kind: 'refused', code } });
}
