import { open } from 'node:fs/promises';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { type Files, nodeFiles } from '../src/files.ts';

/** An error in the form of the system's. */
export function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: made by a test, ${syscall}`), { code, syscall, errno: -1 });
}

/** The file system, with one function that fails while the test wants it. */
export class FailingFiles {
  /** The function that fails now, and the code of its error. */
  failing: { readonly call: keyof Files; readonly code: string } | undefined;
  /** Every call in order, with its first argument. */
  readonly calls: string[] = [];
  readonly files: Files;

  constructor() {
    const names = Object.keys(nodeFiles) as (keyof Files)[];
    this.files = Object.fromEntries(names.map((name) => [name, this.#wrap(name)])) as unknown as Files;
  }

  #wrap(name: keyof Files): unknown {
    const call = nodeFiles[name] as (...args: unknown[]) => Promise<unknown>;
    return async (...args: unknown[]): Promise<unknown> => {
      this.calls.push(`${name} ${String(args[0])}`);
      if (this.failing?.call === name) throw systemError(this.failing.code, name);
      return call(...args);
    };
  }
}

/** A file system whose new files are on a full disk. */
export const fullDisk: Files = {
  ...nodeFiles,
  open: async (path, flags, mode) => {
    const handle = await open(path, flags, mode);
    const write = (): Promise<never> => Promise.reject(systemError('ENOSPC', 'write'));
    return flags === 'wx' ? replacing(handle, { write }) : handle;
  },
};

/** Opens files whose every flush waits for `before`, and fails as that does. */
export function beforeFlush(open: Files['open'], before: () => void): Files['open'] {
  return (async (...args: Parameters<Files['open']>) => {
    const handle = await open(...args);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      before();
      await sync();
    };
    return handle;
  }) as Files['open'];
}
