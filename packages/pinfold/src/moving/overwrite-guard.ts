import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFault, type RoleStore } from '@pinfold/core';
import { CommandFailure } from '../command-line/failures.ts';
import { MANIFEST, readManifest, recordsIn } from './export-form.ts';

/**
 * Refuses a folder whose export has publications of which the database knows none. A server whose disk was not
 * mounted begins with an empty database, and the next night's export of that must not cost the backup. Nor must it cost
 * one that cannot be read.
 */
export async function refuseToOverwrite(folder: string, roles: Pick<RoleStore, 'load'>): Promise<void> {
  if (!existsSync(join(folder, MANIFEST))) return;
  const unknown = await countUnknown(folder, roles).catch((error: unknown) => {
    if (isFault(error) || !(error instanceof Error)) throw error;
    const message = `${folder} holds an export that cannot be read (${error.message}); name another folder`;
    throw new CommandFailure(message, { cause: error });
  });
  if (unknown === 0) return;
  throw new CommandFailure(
    `${folder} holds an export of another database: this one knows none of its ${unknown} publications. Look at the settings; when they are right, name another folder`,
  );
}

/** How many publications an export has, if the database knows none of them; else 0. */
async function countUnknown(folder: string, roles: Pick<RoleStore, 'load'>): Promise<number> {
  let unknown = 0;
  for (const { file } of readManifest(await readFile(join(folder, MANIFEST), 'utf8')).records) {
    for (const { kind, value } of recordsIn(await readFile(join(folder, file)))) {
      if (kind !== 'publication') continue;
      if ((await roles.load(value.id)) !== undefined) return 0;
      unknown += 1;
    }
  }
  return unknown;
}
