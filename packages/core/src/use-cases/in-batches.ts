import { type Duration, minutes } from '../domain/instant.ts';
import type { AllPorts } from '../ports/all-ports.ts';

const MAX_DURATION: Duration = minutes(1);

/** Repeats a step until it does less than a whole batch, its time is over or the service is read-only. */
export async function inBatches(
  { clock, mode }: Pick<AllPorts, 'clock' | 'mode'>,
  batch: number,
  signal: AbortSignal | undefined,
  step: () => Promise<number>,
): Promise<void> {
  const begun = clock.now();
  do {
    signal?.throwIfAborted();
    if ((await mode.load(signal)).kind === 'read_only') return;
  } while ((await step()) === batch && clock.now() - begun < MAX_DURATION);
}
