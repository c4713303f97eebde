import { resolve } from 'node:path';
import { UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { type Failed, stepsFromFolder } from './from-folder.ts';
import { exportIn } from './generations.ts';
import type { Destination, Step } from './move.ts';

/** The steps of an export: of a folder, of the newest generation in it, or for `-` of a tar on standard input. */
export async function* stepsOf(
  from: string,
  to: Destination,
  stream: Terminal['stream'],
  failed?: Failed,
): AsyncGenerator<Step, void> {
  if (from !== '-') {
    yield* stepsFromFolder(await exportIn(resolve(from)), to, failed);
    return;
  }
  const { stepsFromTar } = await import('./from-tar.ts');
  if (stream === undefined) throw new UsageError('there is no standard input');
  yield* stepsFromTar(stream(), to);
}
