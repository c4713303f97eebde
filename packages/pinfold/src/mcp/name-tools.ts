import { parseName } from '@pinfold/core';
import { UsageError } from '../command-line/failures.ts';
import { throwNameError } from '../publishing/refusal-text.ts';
import { PAGE, READS, resolvePublication, result, schemaOf, string, type Tool, warnIfOpen } from './tool.ts';

const NAME = { name: string('The name: a to z, 0 to 9 and "-".') };

export const NAME_TOOLS: readonly Tool[] = [
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

/** Returns a valid name. For others, which the client cannot send, it throws the error that the API would answer. */
function checkName(code: 'invalid_name' | 'not_found', name: string): string {
  if (typeof parseName(name) === 'string') return name;
  throw new UsageError(code, { cause: { kind: 'refused', code } });
}
