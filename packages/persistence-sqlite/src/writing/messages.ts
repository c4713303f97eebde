import type { PlainError } from './plain-errors.ts';

/** How the program of a request ended. */
export type WriteReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: PlainError };

/** What the thread is told: a program to run, with plain arguments, or to `close`, which its end answers. */
export type ToThread = { readonly id: number; readonly program: string; readonly args: unknown } | 'close';

/** What the thread tells: that it is loaded, and the replies of one commit. */
export type FromThread = 'ready' | readonly WriteReply[];
