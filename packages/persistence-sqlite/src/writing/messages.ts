import type { PlainError } from './plain-errors.ts';

/** A program for the thread to run: its name, and plain arguments. */
export interface WriteRequest {
  readonly id: number;
  readonly program: string;
  readonly args: unknown;
}

/** How the program of a request ended. */
export type WriteReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: PlainError };

/** What the thread is told: `close` is the last, and answered by its end. */
export type ToThread = WriteRequest | 'close';

/** What the thread tells: that it is loaded, and the replies of one commit. */
export type FromThread = 'ready' | readonly WriteReply[];
