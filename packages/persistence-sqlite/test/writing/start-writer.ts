import { setImmediate } from 'node:timers/promises';
import type { Program } from '@pinfold/core/records';
import { ThreadedWriter, type ThreadedWriterOptions } from '../../src/writing/threaded-writer.ts';
import { NOTHING, THREAD_SCHEMA } from './thread-programs.ts';

const ENTRY = new URL('./writing-thread.ts', import.meta.url);

/** A writer whose thread runs the programs of these tests. */
export function newWriter(
  file: string,
  changed: () => void = () => {},
  options: ThreadedWriterOptions = {},
): ThreadedWriter {
  const at = { entry: ENTRY, startAfter: 0, restartAfter: 0, ...options };
  return new ThreadedWriter(file, THREAD_SCHEMA.programs, changed, at);
}

/** Returns the result of a program, once a thread accepts it. */
export async function runInThread<Args, Result>(
  writer: ThreadedWriter,
  program: Program<Args, Result>,
  args: Args,
): Promise<Result> {
  for (;;) {
    const running = writer.write(program, args);
    if (running !== undefined) return await running;
    await setImmediate();
  }
}

/** Returns once a thread accepts programs. */
export function untilReady(writer: ThreadedWriter): Promise<void> {
  return runInThread(writer, NOTHING, undefined);
}
