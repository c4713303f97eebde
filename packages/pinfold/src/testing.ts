import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFiles } from '@pinfold/client/zip';
import type { HistoryEvent } from '@pinfold/core';
import { createManualClock, createMemory, type ManualClock } from '@pinfold/memory';
import { once } from './compose/compose.ts';
import { openPinfold, type Pinfold } from './compose/open-pinfold.ts';
import type { PinfoldOptions } from './settings/options.ts';
import { omitUndefined } from './settings/read-option.ts';

export type { ManualClock } from '@pinfold/memory';

/** A Pinfold for tests: it stores everything in memory, and the test sets the time. */
export interface TestPinfold extends Pinfold {
  readonly clock: ManualClock;
  /** The events so far, oldest first. */
  readonly capturedEvents: readonly HistoryEvent[];
}

/**
 * Opens a Pinfold with stores in memory, a clock that the test advances, and a temporary folder for uploads, which
 * `close()` removes. Takes all options of `openPinfold`.
 *
 * @example
 * import { days } from 'pinfold';
 * import { openTestPinfold, zipOf } from 'pinfold/testing';
 *
 * const pinfold = await openTestPinfold();
 * const archive = await zipOf({ 'index.html': '<h1>Hello</h1>' });
 * const outcome = await pinfold.publish({ by: 'ada', key: 'first', filename: 'site.zip', archive });
 * pinfold.clock.advance(days(7));
 * const id = outcome.kind === 'published' ? outcome.publication.id : '';
 * const found = await pinfold.useCases.read({ by: 'ada', id });
 * console.log(found.kind === 'found' && found.publication.state, pinfold.capturedEvents.length); // expired 1
 * await pinfold.close();
 */
export async function openTestPinfold(options: Partial<PinfoldOptions> = {}): Promise<TestPinfold> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pinfold-test-pinfold-'));
  const [memory, clock] = [createMemory(), createManualClock()];
  const capturedEvents: HistoryEvent[] = [];
  const onEvent = (event: HistoryEvent) => {
    capturedEvents.push(event);
    // Returns the promise of an asynchronous callback, so that its caller sees a rejection.
    return options.onEvent?.(event);
  };
  const parts = { persistence: memory, archives: memory.archives, clock, machine: clock };
  const removeFolder = () => rm(dataDir, { recursive: true, maxRetries: 5 });
  try {
    const secret = randomBytes(32).toString('base64url');
    const merged = { dataDir, secret, publicUrl: PUBLIC_URL, ...parts, ...omitUndefined(options), onEvent };
    const pinfold = await openPinfold(merged);
    const close = once(async () => {
      await pinfold.close();
      await removeFolder();
    });
    return { ...pinfold, close, clock, capturedEvents };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

const PUBLIC_URL = 'http://localhost:8080';

/** Makes a ZIP of files by their paths. Strings are stored as UTF-8. */
export async function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const packed = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? encoder.encode(content) : content,
  }));
  return (await packFiles(packed, { dotFiles: true })).bytes;
}
