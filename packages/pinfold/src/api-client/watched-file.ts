import type { Terminal } from '../command-line/terminal.ts';

/** Shows how much of the archive in a form has been sent. */
export async function watchArchive(
  form: FormData,
  progress: NonNullable<Terminal['progress']>,
): Promise<void> {
  const archive = form.get('archive') as File;
  const bytes = new Uint8Array(await archive.arrayBuffer());
  const onProgress = (sent: number): void =>
    progress(sent < 1 ? `sending, ${Math.floor(sent * 100)} %` : 'checking');
  form.set('archive', new WatchedFile(archive.name, bytes, onProgress));
}

/** The bytes of one chunk. The connection pulls the next chunk when it has room. */
const CHUNK_BYTES = 262_144;

/** The archive of a form; reports the share that has been sent, from 0 to 1. */
export class WatchedFile extends File {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #sending: (sent: number) => void;

  constructor(filename: string, bytes: Uint8Array<ArrayBuffer>, onProgress: (sent: number) => void) {
    // Passing the bytes to File would copy them; `stream` provides them instead.
    super([], filename, { type: 'application/zip' });
    Object.defineProperty(this, 'size', { value: bytes.byteLength });
    this.#bytes = bytes;
    this.#sending = onProgress;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const [bytes, onProgress] = [this.#bytes, this.#sending];
    let taken = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
      // A pull means that the earlier chunks were sent.
      onProgress(bytes.byteLength === 0 ? 1 : taken / bytes.byteLength);
      if (taken === bytes.byteLength) {
        controller.close();
        return;
      }
      controller.enqueue(bytes.slice(taken, taken + CHUNK_BYTES));
      taken = Math.min(taken + CHUNK_BYTES, bytes.byteLength);
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }
}
