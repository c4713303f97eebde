import type { AnyProgram } from '../../../src/records.ts';
import { STORE_SCHEMA } from '../../../src/stores/create-persistence.ts';
import { CALLS, rowsBefore } from './calls.ts';
import { type Call, CallsTogether, playAlone } from './every-order.ts';
import { isWriting } from './played-database.ts';
import { SPLIT_CALLS } from './reasons.ts';

/** The data that a writing program uses. */
interface Use {
  readonly written: Set<string>;
  readonly used: Set<string>;
  readonly locks: Set<string>;
}

/** By call and program. */
type Uses = ReadonlyMap<string, ReadonlyMap<string, Use>>;

/** The names of all programs that write. */
export const WRITING: readonly string[] = STORE_SCHEMA.programs
  .filter((one): one is AnyProgram => 'locks' in one)
  .map(({ name }) => name);

export function callOf(name: string): Call {
  const call = CALLS[name];
  if (call === undefined) throw new Error(`there is no call ${name}`);
  return call;
}

/** Some calls at the same time. */
export async function callsTogether(names: readonly string[]): Promise<CallsTogether> {
  return new CallsTogether(await rowsBefore(names), names.map(callOf));
}

/** The data that the programs of each call use when it runs alone. */
export async function usesOfCalls(): Promise<Uses> {
  const uses = new Map<string, Map<string, Use>>();
  for (const name of Object.keys(CALLS)) {
    const own = new Map<string, Use>();
    uses.set(name, own);
    await playAlone((await rowsBefore([name])).tables.copy(), callOf(name), (program, action, locks) => {
      if (!WRITING.includes(program)) return;
      const use = own.get(program) ?? { written: new Set(), used: new Set(), locks: new Set() };
      own.set(program, use);
      use.used.add(action.table.name);
      if (isWriting(action)) use.written.add(action.table.name);
      for (const lock of locks) use.locks.add(lock.name);
    });
  }
  return uses;
}

/** Whether a program of one call writes a table that one of the other uses. Any other order makes no difference. */
export function haveOneTable(uses: Uses, [one, other]: readonly [string, string]): boolean {
  const [ownUses, otherUses] = [one, other].map((name) => [...(uses.get(name)?.values() ?? [])]);
  return (ownUses ?? []).some((use) =>
    (otherUses ?? []).some((otherUse) => writesFor(use, otherUse) || writesFor(otherUse, use)),
  );
}

function writesFor({ written }: Use, { used }: Use): boolean {
  return [...written].some((table) => used.has(table));
}

export function hasSplitCall(calls: readonly string[]): boolean {
  return calls.some((name) => SPLIT_CALLS.includes(name));
}

export function pairOf(names: readonly string[]): string {
  return names.toSorted().join(' × ');
}

/** All pairs of some calls, each with itself, too. */
export function pairsOf(calls: readonly string[]): readonly (readonly [string, string])[] {
  return calls.flatMap((one, n) => calls.slice(n).map((other) => [one, other] as const));
}
