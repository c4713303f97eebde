import type { Environment } from '../settings/settings.ts';

export interface Terminal {
  readonly env: Environment;
  /** For results: scripts read it. */
  out(line: string): void;
  /** For results of any length: writes text as it is, and waits until it is taken. Rejects with EPIPE if the reader has gone. */
  write(text: string): Promise<void>;
  /** For everything said beside them. */
  err(line: string): void;
  /** From now on, a signal that ends the command says how to continue with this Idempotency-Key. */
  begins?(idempotencyKey: string): void;
  /** Shows progress in one line that the next one replaces; absent without a terminal. */
  progress?(doing: string): void;
  /** Reads all of standard input; absent without one. */
  input?(): Promise<Uint8Array<ArrayBuffer>>;
  /** Asks a question that is answered with yes or no; absent without a terminal. */
  confirm?(question: string): Promise<boolean>;
  /** Reads standard input as it comes; absent without one. */
  stream?(): ReadableStream<Uint8Array>;
  /** Writes bytes to standard output, as fast as they are taken; absent where a person would see them. */
  pipe?(bytes: ReadableStream<Uint8Array>): Promise<void>;
  /** Asks for a line that is not shown, such as a password; absent where nothing can be read. */
  secret?(question: string): Promise<string>;
}
