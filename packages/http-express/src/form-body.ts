import { Transform, type TransformCallback } from 'node:stream';
import type { StagedArchive } from '@pinfold/core';
import { FormFields } from './form-fields.ts';
import { FormFrames } from './form-frames.ts';

/** Bytes that are gathered of a body that comes in smaller pieces: reading its frames costs something for each piece. */
const GATHERED = 4_096;

/**
 * The body of a publication, its heads judged and its frames written anew. multer reads it in place of the request:
 * so whatever multer does with what it reads, the connection stays in our hands until the answer is out.
 */
export class FormBody extends Transform {
  /** What tells multer how to read this body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: FormFields = new FormFields();
  /** Where multer puts plain fields. */
  body: Readonly<Record<string, unknown>> = {};
  /** The upload of the archive, from the moment it began. */
  upload: Promise<StagedArchive | undefined> | undefined;
  readonly #frames: FormFrames;
  #gathered: Buffer = Buffer.alloc(0);
  #gatheredBytes = 0;

  constructor(boundary: string) {
    super();
    this.#frames = new FormFrames(boundary, this.fields);
    this.headers = {
      'content-type': `multipart/form-data; boundary=${this.#frames.boundary}`,
      'transfer-encoding': 'chunked',
    };
  }

  /** Small pieces wait for others until the next tick. */
  override _transform(bytes: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    if (this.#gatheredBytes + bytes.byteLength > GATHERED) {
      this.#forward(() => [...this.#takeGathered(), ...this.#frames.push(bytes)], callback);
      return;
    }
    if (this.#gatheredBytes === 0) {
      this.#gathered = Buffer.allocUnsafe(GATHERED);
      setImmediate(() => this.#passOn());
    }
    this.#gatheredBytes += bytes.copy(this.#gathered, this.#gatheredBytes);
    callback();
  }

  override _flush(callback: TransformCallback): void {
    this.#forward(() => {
      const pieces = this.#takeGathered();
      this.#frames.end();
      return pieces;
    }, callback);
  }

  #passOn(): void {
    if (this.destroyed) return;
    this.#forward(
      () => this.#takeGathered(),
      (error) => {
        if (error) this.destroy(error);
      },
    );
  }

  #takeGathered(): readonly Buffer[] {
    const bytes = this.#gathered.subarray(0, this.#gatheredBytes);
    this.#gatheredBytes = 0;
    return bytes.byteLength === 0 ? [] : this.#frames.push(bytes);
  }

  #forward(read: () => readonly Buffer[], callback: TransformCallback): void {
    try {
      for (const piece of read()) this.push(piece);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback();
  }
}
