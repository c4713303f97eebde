import { join } from 'node:path';
import { accountId, type PinName, type Role, type RoleId } from '@pinfold/core';
import { examineSqlite } from '@pinfold/persistence-sqlite/internal';
import { SystemClock } from '@pinfold/platform-node';
import { openArchives, openRecords } from 'pinfold-proof/service/addresses.ts';
import type { Promised, Promises } from './publishers.ts';

const ACCOUNT = accountId('default');

/** Opens the data folder after a power cut, and lists acknowledged changes that are missing. */
export async function judge(data: string, { pins, names }: Promises): Promise<readonly string[]> {
  const lost = new Set<string>();
  const file = join(data, 'pinfold.sqlite');
  const records = await openRecords({ kind: 'sqlite', file }).catch((error: unknown) => {
    lost.add(`all of it: ${error}`);
  });
  if (records === undefined) return [...lost];
  try {
    const address = { kind: 'files', folder: join(data, 'archives') } as const;
    const { archives } = await openArchives(address, data, new SystemClock());
    for (const pin of pins) {
      const loaded = pin.id === undefined ? undefined : await records.roles.load(pin.id as RoleId);
      if (!isAllowed(pin.isThere, loaded !== undefined)) lost.add('a publication');
      if (loaded === undefined) continue;
      const role: Role = loaded.value;
      if (!isAllowed(pin.title, role.title)) lost.add('a title');
      if (!isAllowed(pin.isStopped, role.deletedAt !== null)) lost.add('a stop');
      if (role.deletedAt !== null) continue;
      if (!isAllowed(pin.hasPassword, role.passwordHash !== null)) lost.add('a password');
      const bytes = await archives.read(role.archive, 0, pin.archive.length);
      if (bytes === undefined || !Buffer.from(bytes).equals(pin.archive)) lost.add('an archive');
    }
    for (const [name, shown] of Object.entries(names)) {
      const found = await records.names.find(ACCOUNT, name as PinName);
      if (!isAllowed(shown, found?.name.role)) lost.add('a name');
    }
    const { damage } = examineSqlite(file);
    if (damage !== undefined) lost.add(damage);
  } catch (error) {
    lost.add(`all of it: ${error}`);
  } finally {
    await records.close();
  }
  return [...lost];
}

function isAllowed<Value>({ answered, requested }: Promised<Value>, found: Value): boolean {
  return found === answered || requested.includes(found);
}
