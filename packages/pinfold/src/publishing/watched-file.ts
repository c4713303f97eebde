import type { Wish } from './publication.ts';

/** An archive of a form that tells how much of it was taken to be sent. */
export class WatchedFile extends File {
  readonly #sending: (sent: number) => void;

  constructor({ bytes, filename }: Pick<Wish, 'bytes' | 'filename'>, sending: (sent: number) => void) {
    super([bytes], filename, { type: 'application/zip' });
    this.#sending = sending;
  }

  override stream(): ReturnType<File['stream']> {
    const { size } = this;
    const sending = this.#sending;
    let taken = 0;
    sending(0);
    return super.stream().pipeThrough(
      new TransformStream({
        transform: (chunk: Uint8Array<ArrayBuffer>, controller) => {
          taken += chunk.byteLength;
          sending(taken / size);
          controller.enqueue(chunk);
        },
      }),
    );
  }
}
