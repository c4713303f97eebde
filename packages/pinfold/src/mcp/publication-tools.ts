import type { Change, PinAnswer } from '@pinfold/client';
import { readState } from '../command-line/arguments.ts';
import { isRefusedWith } from '../command-line/failures.ts';
import {
  type Arguments,
  answer,
  formatLine,
  memberOf,
  orNull,
  PAGE,
  publicationIn,
  READS,
  result,
  string,
  type Tool,
  type ToolContext,
} from './tool.ts';
import type { ToolResult } from './tool-error.ts';

const ID = { id: string('The id of the publication, its shared URL, or the URL of a name that shows it.') };

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
    output: answer('PinList'),
    annotations: READS,
    run: async ({ state, limit, cursor }, { publications }) => {
      const page = await publications.api.listPage({ limit, cursor, state: state && readState(state) });
      return result(page.pins.length === 0 ? ['There are none.'] : page.pins.map(formatLine), { ...page });
    },
  },
  {
    name: 'get',
    title: 'Read a publication',
    description:
      'Reads a publication in any state, with its views of the last 30 days and the limits in force.',
    input: ID,
    required: ['id'],
    output: answer('PinAnswer', {
      views: memberOf('ViewedPinAnswer', 'views'),
      limits: memberOf('LimitsAnswer', 'limits'),
    }),
    annotations: READS,
    run: async (given, { publications }) => {
      const id = await publicationIn(given, publications);
      const [{ pin, views = [] }, { limits }] = await Promise.all([
        publications.api.get(id, { views: true }),
        publications.api.limits(),
      ]);
      const counted = views.map(({ day, views: count }) => `${day}: ${count} views`);
      return result([formatLine(pin), ...counted], { pin, views, limits });
    },
  },
  aboutPin({
    name: 'rename',
    title: 'Change the title',
    description: 'Changes the title of a publication.',
    input: { title: orNull('The new title; null removes it.') },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    run: (given, context) => change(given, { title: given.title ?? null }, context),
  }),
  aboutPin({
    name: 'set_password',
    title: 'Set or remove the password',
    description: 'Protects a publication with a password, or removes it. Every viewer has to enter it anew.',
    input: { password: orNull('The new password; null removes the protection.') },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    run: (given, context) => change(given, { password: given.password ?? null }, context),
  }),
  aboutPin({
    name: 'renew',
    title: 'Renew a publication',
    description: 'Lets a publication expire later: the time of a renewal from now.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    run: (given, context) => change(given, { reset_expiration: true }, context),
  }),
  aboutPin({
    name: 'stop',
    title: 'Stop a publication',
    description: 'Stops a publication for good: viewers can no longer see it.',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    run: async (given, { publications }) => {
      const id = await publicationIn(given, publications);
      try {
        await publications.api.stop(id);
      } catch (error) {
        if (!isRefusedWith(error, 'invalid_state')) throw error;
      }
      return ofPin(await publications.api.get(id));
    },
  }),
];

/** A tool that works with one publication, needs all its arguments, and answers with the publication. */
function aboutPin({
  input,
  ...tool
}: Omit<Tool, 'input' | 'required' | 'output'> & Partial<Pick<Tool, 'input'>>): Tool {
  const members = { ...ID, ...input };
  return { ...tool, input: members, required: Object.keys(members), output: answer('PinAnswer') };
}

async function change(given: Arguments, change: Change, { publications }: ToolContext): Promise<ToolResult> {
  return ofPin(await publications.api.update(await publicationIn(given, publications), change));
}

function ofPin({ pin }: PinAnswer): ToolResult {
  return result([formatLine(pin)], { pin });
}
