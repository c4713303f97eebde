import { appendFile, close, fsync, openSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { explainSystemErrors } from '../command-line/failures.ts';

const [appendPiece, flush, closeFile] = [promisify(appendFile), promisify(fsync), promisify(close)];

/**
 * Creates a file, which is removed if the command does not finish, and flushes it to the disk. System errors become
 * failures `cannot_write`; errors of the source are thrown unchanged.
 */
export async function writeFlushed(
  file: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { mode = 0o666, unfinished }: { readonly mode?: number; readonly unfinished: UnfinishedFiles },
): Promise<void> {
  const write = <Result>(task: () => Promise<Result>) => explainSystemErrors(task, 'cannot_write');
  const descriptor = await write(async () => unfinished.make(file, () => openSync(file, 'wx', mode)));
  try {
    for await (const piece of pieces) await write(() => appendPiece(descriptor, piece));
    await write(() => flush(descriptor));
  } finally {
    await write(() => closeFile(descriptor));
  }
}

/** Removes the files and folders that a command creates, unless it finishes; also when a signal ends the process. */
export class UnfinishedFiles {
  readonly #paths: string[] = [];
  readonly #removeAll = (): void => this.#remove();

  constructor() {
    process.on('exit', this.#removeAll);
  }

  /**
   * Creates a file or folder synchronously, so that a signal cannot arrive before it is registered. A folder is
   * removed with its contents.
   */
  make<Made>(path: string, make: () => Made): Made {
    const made = make();
    this.#paths.push(path);
    return made;
  }

  /** Keeps all files. */
  finish(): void {
    this.#paths.length = 0;
    process.off('exit', this.#removeAll);
  }

  /** Removes all files, the last one first; nothing after `finish`. */
  discard(): void {
    process.off('exit', this.#removeAll);
    this.#remove();
  }

  #remove(): void {
    for (const path of this.#paths.splice(0).reverse()) rmSync(path, { recursive: true, force: true });
  }
}

/** Makes renames in the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
