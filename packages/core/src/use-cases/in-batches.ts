import { type Duration, minutes } from '../domain/instant.ts';
import type { AllPorts } from '../ports/all-ports.ts';

const MAX_DURATION: Duration = minutes(1);

/** Repeats a step until it does less than a whole batch, its time is over or the service is read-only. */
export async function inBatches(
  { machine, mode }: Pick<AllPorts, 'machine' | 'mode'>,
  batch: number,
  signal: AbortSignal | undefined,
  step: () => Promise<number>,
): Promise<void> {
  const begun = machine.uptime().elapsed;
  do {
    signal?.throwIfAborted();
    if ((await mode.load(signal)).kind === 'read_only') return;
  } while ((await step()) === batch && machine.uptime().elapsed - begun < MAX_DURATION);
}
