import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CommandFailure } from '../command-line/failures.ts';

/** The most bytes of a manifest or of a file of records, which is in memory as a whole. Ours end after 4 MiB. */
export const MAX_FILE_BYTES = 134_217_728;

/**
 * Reads a file of an export whole.
 *
 * @param name what a failure calls it.
 * @throws CommandFailure for anything but a file, and for one over 128 MiB; the system's own error otherwise.
 */
export async function readExportFile(path: string, name: string): Promise<Buffer> {
  // Opening a pipe would otherwise wait for its writer, and the process could not even end meanwhile.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new CommandFailure(`${name} is not a file`);
    if (stats.size > MAX_FILE_BYTES) throw tooLarge(name);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export function tooLarge(name: string): CommandFailure {
  return new CommandFailure(`this is no export: ${name} is over 128 MiB`);
}
