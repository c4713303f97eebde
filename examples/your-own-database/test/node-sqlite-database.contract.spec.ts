import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeDatabase } from '@pinfold/test-contracts/mocha';
import { NodeSqliteDatabase } from '../src/node-sqlite-database.ts';

describeDatabase({
  name: 'NodeSqliteDatabase',
  runs: 20,
  open: async (schema) => {
    const folder = await mkdtemp(join(tmpdir(), 'pinfold-example-'));
    const opened: NodeSqliteDatabase[] = [];
    const openIn = async (place: string): Promise<NodeSqliteDatabase> => {
      const database = new NodeSqliteDatabase(join(place, 'records.sqlite'), schema);
      opened.push(database);
      return database;
    };
    const port = await openIn(folder);
    await port.migrate();
    return {
      port,
      peer: () => openIn(folder),
      unreachable: () => openIn(join(folder, 'gone')),
      dispose: async () => {
        await Promise.all(opened.map((database) => database.close()));
        await rm(folder, { recursive: true });
      },
    };
  },
});
