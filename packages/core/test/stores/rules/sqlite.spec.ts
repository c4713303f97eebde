import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Persistence } from '@pinfold/core/adapter';
import { openSqlite } from '@pinfold/persistence-sqlite';
import { describeRules, ENGINE_CLAUSES } from './describe-rules.ts';

/** In memory where that is possible: the clauses make thousands of commits, each of which waits for a disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

describeRules({
  name: 'SQLite',
  open: async () => {
    const folder = await mkdtemp(join(FOLDER, 'pinfold-rules-'));
    const handles: Persistence[] = [];
    const peer = async (): Promise<Persistence> => {
      const handle = await openSqlite({ file: join(folder, 'pinfold.sqlite') });
      handles.push(handle);
      return handle;
    };
    const port = await peer();
    await port.migrate();
    return {
      port,
      peer,
      // No clause below uses it.
      unreachable: peer,
      dispose: async () => {
        await Promise.all(handles.map((handle) => handle.close()));
        await rm(folder, { recursive: true });
      },
    };
  },
  clauses: ENGINE_CLAUSES,
  randomSequences: 10,
});
