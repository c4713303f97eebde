import type { Name } from '@pinfold/client';
import { readNameToPublish, TO_BRANCH } from '../ci/build-job.ts';
import { readName } from '../command-line/arguments.ts';
import { type Command, command, flagOption } from '../command-line/command.ts';
import { isRefusedWith, UsageError } from '../command-line/failures.ts';
import { formatLine, formatState, LIST_OPTIONS, printList } from '../command-line/print-list.ts';
import { moveName, stopShown } from '../publishing/move-name.ts';
import { readReference, resolveId, TARGET_OPTIONS, withPublications } from '../publishing/publications.ts';
import { nameNotFound } from '../publishing/refusal-text.ts';

const GUIDE = '../publish-with-the-command.md#names';

const list = command({
  name: 'names list',
  group: 'publications',
  options: { ...LIST_OPTIONS, ...TARGET_OPTIONS },
  help: 'list your names, with their links and the publication that each shows',
  example: 'pinfold names list',
  guide: GUIDE,
  run: (_, values, terminal) =>
    withPublications(values, false, terminal, ({ api }) =>
      printList(api.names.list(), terminal, { ...values, member: 'names', toColumns }),
    ),
});

const set = command({
  name: 'names set',
  group: 'publications',
  arguments: ['NAME', '[ID]'],
  options: {
    back: flagOption('show what the name showed before, in place of ID; a second time returns to the first'),
    'no-password': flagOption('let a name that shows a protected publication show one without a password'),
    ...TARGET_OPTIONS,
  },
  help: 'point a name at a publication; creates the name if it is new',
  example: 'pinfold names set docs 0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20',
  guide: GUIDE,
  run: async ([text, id], { back, 'no-password': mayLosePassword = false, ...values }, terminal) => {
    const nameToSet = readName(text, 'NAME');
    if (back && id !== undefined) throw new UsageError('ID cannot be used with --back');
    const reference = back ? undefined : readReference(id ?? throwMissingId());
    const name = await withPublications(values, true, terminal, async (publications) => {
      const next = reference === undefined ? 'previous' : { id: await resolveId(reference, publications) };
      return moveName(nameToSet, next, mayLosePassword, publications.api);
    });
    return { json: { name }, text: formatLine(toColumns(name)) };
  },
});

const remove = command({
  name: 'names delete',
  group: 'publications',
  arguments: ['[NAME]'],
  options: {
    'to-branch': TO_BRANCH,
    stop: flagOption('also stop the publications that the name has shown, unless another name shows them'),
    'if-exists': flagOption('succeed if there is no such name'),
    ...TARGET_OPTIONS,
  },
  help: 'delete a name: its link stops working, and its publications stay unless --stop is given',
  example: 'pinfold names delete docs',
  guide: GUIDE,
  run: async ([to], { 'to-branch': toBranch, 'if-exists': ifExists, stop, ...values }, terminal) => {
    const name = readNameToPublish({ to, 'to-branch': toBranch }, 'NAME', terminal.env);
    if (name === undefined) throw new UsageError('NAME is missing');
    return withPublications(values, true, terminal, async ({ api }) => {
      const missing = await api.names.delete(name).catch((error: unknown) => {
        if (isRefusedWith(error, 'not_found')) return nameNotFound(error);
        throw error;
      });
      const stopped = stop ? await stopShown(name, api) : [];
      if (missing !== undefined && !ifExists && stopped.length === 0) throw missing;
      const deleted = missing === undefined;
      const text = [
        deleted ? `${name} is deleted.` : `There is no name ${name}.`,
        ...stopped.map((id) => `${id} is stopped.`),
        ...(stop && stopped.length === 0 ? ['No publication was stopped.'] : []),
      ];
      return { json: { name, deleted, ...(stop && { stopped }) }, text };
    });
  },
});

export const commands: readonly Command[] = [list, set, remove];

function throwMissingId(): never {
  throw new UsageError('ID is missing, or --back');
}

/** Formats a name. Servers of earlier releases do not send the state of its publication. */
function toColumns({ name, url, pin, updated_at, pin_state, pin_expires_at }: Name): readonly string[] {
  const state = pin_state === undefined ? [] : [formatState(pin_state), pin_expires_at ?? 'never'];
  return [url, name, pin, updated_at, ...state];
}
