import { expect } from 'chai';
import { type Clause, type Subject, toClauses } from './contract.ts';

/** How a test writes to a port, and checks that something was written. */
export interface Mark<Port, S extends Subject<Port>> {
  /** Writes the `n`th item. */
  write(port: Port, n: number, subject: S): Promise<void>;
  /** Whether the `n`th item exists. */
  sees(port: Port, n: number, subject: S): Promise<boolean>;
}

/** The clauses that test an author's `create` and `peer`, before any promise of the port is checked. */
export function harnessClauses<Port, S extends Subject<Port> = Subject<Port>>(
  suite: string,
  mark: Mark<Port, S>,
): readonly Clause<Port, S>[] {
  return toClauses({
    [`${suite}/harness-apart: two subjects do not see each other, and each begins empty`]: async (
      subject,
      another,
    ) => {
      await mark.write(subject.port, 1, subject);
      const other = await another();
      expect(await mark.sees(other.port, 1, other), 'the other one').to.equal(false);
      expect(await mark.sees(await other.peer(), 1, other), 'its peer').to.equal(false);
      await mark.write(other.port, 2, other);
      expect(await mark.sees(subject.port, 2, subject), 'the first one').to.equal(false);
    },
    [`${suite}/harness-peer: a peer sees what the port wrote, and the port what a peer wrote`]: async (
      subject,
    ) => {
      const [early, late] = [await subject.peer(), await subject.peer()];
      await mark.write(subject.port, 1, subject);
      await mark.write(late, 2, subject);
      for (const port of [subject.port, early, late, await subject.peer()]) {
        expect(await mark.sees(port, 1, subject), 'what the port wrote').to.equal(true);
        expect(await mark.sees(port, 2, subject), 'what a peer wrote').to.equal(true);
      }
    },
  });
}
