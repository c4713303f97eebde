import type { Terminal } from '../command-line/terminal.ts';

/** Shows how much of a form's archive is sent. */
export async function watchArchive(
  form: FormData,
  progress: NonNullable<Terminal['progress']>,
): Promise<void> {
  const archive = form.get('archive') as File;
  const bytes = new Uint8Array(await archive.arrayBuffer());
  const sending = (sent: number): void =>
    progress(sent < 1 ? `sending, ${Math.floor(sent * 100)} %` : 'checking');
  form.set('archive', new WatchedFile(archive.name, bytes, sending));
}

/** As much as is handed over at once; a connection asks for more when it has room. */
const PIECE = 262_144;

/** An archive of a form that tells how much of it was taken to be sent, from 0 to 1. */
export class WatchedFile extends File {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #sending: (sent: number) => void;

  constructor(filename: string, bytes: Uint8Array<ArrayBuffer>, sending: (sent: number) => void) {
    // The archive may have 10 MB, which a file copies: it is sent by its stream.
    super([], filename, { type: 'application/zip' });
    Object.defineProperty(this, 'size', { value: bytes.byteLength });
    this.#bytes = bytes;
    this.#sending = sending;
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const [bytes, sending] = [this.#bytes, this.#sending];
    let taken = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void => {
      // Asked for more, the reader is done with what it had.
      sending(bytes.byteLength === 0 ? 1 : taken / bytes.byteLength);
      if (taken === bytes.byteLength) {
        controller.close();
        return;
      }
      controller.enqueue(bytes.slice(taken, taken + PIECE));
      taken = Math.min(taken + PIECE, bytes.byteLength);
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }
}
