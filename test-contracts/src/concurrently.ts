import type { Subject } from './contract.ts';

/** Runs `count` actions at once, spread over the port and two peers of it. */
export async function together<Port, Result>(
  subject: Subject<Port>,
  count: number,
  action: (port: Port, n: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const ports = [subject.port, await subject.peer(), await subject.peer()];
  const started = Array.from({ length: count }, (_, n) => action(ports[n % ports.length] as Port, n));
  return await Promise.all(started);
}
