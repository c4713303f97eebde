import type { MovedRecord } from '@pinfold/core/moving';
import { createTarPacker, type TarPackController } from 'modern-tar';
import type { MovingArchive } from './archives.ts';
import { ARCHIVES, MANIFEST, manifestOf, RecordsWriter } from './export-form.ts';
import type { Destination, Walked } from './walk.ts';

/** Writes an export as a tar with the files of an export to a folder. Its entries have no time and no user. */
export class ToTar implements Destination {
  /** The bytes of the tar. Read them while it is written. */
  readonly bytes: ReadableStream<Uint8Array>;
  readonly #tar: TarPackController;
  readonly #records: RecordsWriter = new RecordsWriter((name, lines) =>
    this.#add(name, [lines], lines.length),
  );

  constructor() {
    const { readable, controller } = createTarPacker();
    this.bytes = readable;
    this.#tar = controller;
  }

  async begin(): Promise<void> {}

  records(records: readonly MovedRecord[]): Promise<void> {
    return this.#records.add(records);
  }

  has(): boolean {
    return false;
  }

  async archive({ id, pieces, bytes }: MovingArchive): Promise<void> {
    await this.#records.flush();
    await this.#add(`${ARCHIVES}/${id.slice(0, 4)}/${id.slice(4, 7)}/${id}`, pieces, bytes);
  }

  async end(walked: Walked): Promise<void> {
    await this.#records.flush();
    const text = manifestOf(this.#records.files, walked);
    await this.#add(MANIFEST, [text], text.length);
    this.#tar.finalize();
  }

  abort(reason: unknown): void {
    this.#tar.error(reason);
  }

  async #add(name: string, pieces: readonly Uint8Array[], size: number): Promise<void> {
    const header = { name, size, mode: 0o600, mtime: new Date(0), type: 'file' } as const;
    const writer = this.#tar.add(header).getWriter();
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  }
}
