import { createTarPacker, type TarPackController } from 'modern-tar';
import { ARCHIVES, type ExportEnd, MANIFEST, manifestOf, type RecordsFile } from './export-form.ts';
import type { Destination } from './move.ts';
import type { MovingArchive } from './whole-archive.ts';

/** Writes an export as a tar with the files of an export to a folder. Its entries have no time and no user. */
export class ToTar implements Destination {
  /** The bytes of the tar. Read them while it is written. */
  readonly bytes: ReadableStream<Uint8Array>;
  readonly #tar: TarPackController;

  constructor() {
    const { readable, controller } = createTarPacker();
    this.bytes = readable;
    this.#tar = controller;
  }

  async begin(): Promise<void> {}

  records(lines: Uint8Array, { file }: RecordsFile): Promise<void> {
    return this.#add(file, [lines], lines.length);
  }

  has(): boolean {
    return false;
  }

  archive({ id, pieces, bytes }: MovingArchive): Promise<void> {
    return this.#add(`${ARCHIVES}/${id.slice(0, 4)}/${id.slice(4, 7)}/${id}`, pieces, bytes);
  }

  async end(end: ExportEnd): Promise<void> {
    const text = manifestOf(end);
    await this.#add(MANIFEST, [text], text.length);
    this.#tar.finalize();
  }

  fail(error: unknown): void {
    this.#tar.error(error);
  }

  async #add(name: string, pieces: readonly Uint8Array[], size: number): Promise<void> {
    const header = { name, size, mode: 0o600, mtime: new Date(0), type: 'file' } as const;
    const writer = this.#tar.add(header).getWriter();
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  }
}
