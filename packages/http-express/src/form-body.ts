import { Transform, type TransformCallback } from 'node:stream';
import type { StagedArchive } from '@pinfold/core';
import { FormFields } from './form-fields.ts';
import { FormFrames } from './form-frames.ts';

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

  constructor(boundary: string) {
    super();
    this.#frames = new FormFrames(boundary, this.fields);
    this.headers = {
      'content-type': `multipart/form-data; boundary=${this.#frames.boundary}`,
      'transfer-encoding': 'chunked',
    };
  }

  override _transform(bytes: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#forward(() => this.#frames.push(bytes), callback);
  }

  override _flush(callback: TransformCallback): void {
    this.#forward(() => {
      this.#frames.end();
      return [];
    }, callback);
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
