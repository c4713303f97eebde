import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { startServer } from '../power-cuts/server.ts';
import { Ledger } from './ledger.ts';
import type { Releases } from './releases.ts';

/** The result of a drill. */
export interface DrillResult {
  readonly publications: number;
  /** Requests that were sent again. */
  readonly repeated: number;
  /** The differences from acknowledged answers, by check of the nodes. */
  readonly differences: Readonly<Record<string, readonly string[]>>;
}

const PUBLICATIONS = 40;

/** The previous release fills the data folder and is killed, the next one continues, and the previous one again. */
export async function onOneMachine(folder: string, { previous, next }: Releases): Promise<DrillResult> {
  const { text: key } = new NodeApiKeySecrets().mint();
  const ledger = new Ledger(key);
  const differences: Record<string, readonly string[]> = {};
  const turns = { filled: previous, migrated: next, 'stepped back': previous };
  for (const [step, { command }] of Object.entries(turns)) {
    const env = { PINFOLD_VIEWER_MODE: 'path' };
    const server = await startServer(join(folder, 'data'), key, env, command);
    const node = ledger.nodeAt(server.url);
    const before = await ledger.differences(node);
    for (let n = 0; n < PUBLICATIONS; n += 1) await ledger.add(() => [node]);
    differences[step] = [...before, ...(await ledger.differences(node))];
    await (step === 'filled' ? server.kill() : server.end());
  }
  return { publications: ledger.size, repeated: ledger.repeated, differences };
}
