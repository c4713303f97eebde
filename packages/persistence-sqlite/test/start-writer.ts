import { setImmediate } from 'node:timers/promises';
import { ThreadedWriter } from '../src/writing/threaded-writer.ts';
import { NOTHING, THREAD_PROGRAMS } from './thread-programs.ts';

const ENTRY = new URL('./writing-thread.ts', import.meta.url);

/** A writer whose thread runs the programs of these tests, once it takes them. */
export async function startWriter(file: string, changed: () => void = () => {}): Promise<ThreadedWriter> {
  const writer = new ThreadedWriter(file, THREAD_PROGRAMS, changed, { entry: ENTRY, startAfter: 0 });
  await untilReady(writer);
  return writer;
}

/** Returns when there is a thread that takes programs. */
export async function untilReady(writer: ThreadedWriter): Promise<void> {
  for (;;) {
    const ran = writer.write(NOTHING, undefined);
    if (ran !== undefined) return await ran.catch(() => undefined);
    await setImmediate();
  }
}
