import type { Database, DatabaseSchema } from '@pinfold/core/records';
import { checkClause, clausesOf, type StoreSubject } from '@pinfold/test-contracts';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { checkRandomPrograms, databaseContract, LIBRARY } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { DatabaseFault } from './faulty-database.ts';
import { LIFE_FAULTS } from './life-faults.ts';
import { PROGRAM_FAULTS } from './program-faults.ts';
import { RANGE_FAULTS } from './range-faults.ts';
import { CONDITION_FAULTS, READING_FAULTS } from './reading-faults.ts';
import { WRITE_FAULTS } from './write-faults.ts';

/** An engine into which the faults are put, opened as `describeDatabase` opens it. */
export interface FaultyEngineOptions {
  readonly name: string;
  readonly open: (schema: DatabaseSchema) => Promise<StoreSubject<Database>>;
}

const FAULTS: readonly DatabaseFault[] = [
  ...READING_FAULTS,
  ...CONDITION_FAULTS,
  ...RANGE_FAULTS,
  ...WRITE_FAULTS,
  ...PROGRAM_FAULTS,
  ...LIFE_FAULTS,
];

/** The test of random programs, in addition to the promises. */
const RANDOM = 'random';
/** The random programs with a fault; they find every fault with this seed. */
const TRIED = { runs: 40, seed: 3, endOnFailure: true };

type Open = () => Promise<StoreSubject<Database>>;

/** Declares one test for each fault: the promise that it breaks is red in the engine. */
export function describeDatabaseFaults({ name, open }: FaultyEngineOptions): void {
  const create: Open = () => open(LIBRARY);
  const clauses = new Map(clausesOf(databaseContract).map((clause) => [clause.id.split('/')[1], clause]));
  const check = async (id: string, opened: Open): Promise<void> => {
    if (id === RANDOM) return await checkRandomPrograms(opened, TRIED);
    const clause = clauses.get(id);
    if (clause === undefined) throw new Error(`there is no promise ${id}`);
    await checkClause(clause, opened);
  };

  describe(`The promises of a database, in ${name}`, function () {
    this.timeout(30_000);
    for (const [id, how, opening] of [...SUBJECT_FAULTS, ...FAULTS.map(inSubjects)]) {
      it(`${id} fails when ${how}`, async () => {
        const outcome = await check(id, opening(create)).then(
          () => 'green',
          () => 'red',
        );
        expect(outcome).to.equal('red');
      });
    }

    it('have a fault each', () => {
      const broken = [...SUBJECT_FAULTS, ...FAULTS.map(inSubjects)].map(([id]) => id);
      expect([...clauses.keys(), RANDOM].filter((id) => !broken.includes(id ?? ''))).to.deep.equal([]);
    });
  });
}

/** A promise, the fault, and how to open a subject with it. */
type SubjectFault = readonly [id: string, how: string, opening: (create: Open) => Open];

/** Mistakes of an author who opens an engine for the suite. */
const SUBJECT_FAULTS: readonly SubjectFault[] = [
  [
    'harness-apart',
    'all subjects share their data',
    (create) => {
      const opened = create();
      let isDisposed = false;
      return async () => ({
        ...(await opened),
        dispose: async () => {
          if (!isDisposed) {
            isDisposed = true;
            await (await opened).dispose();
          }
        },
      });
    },
  ],
  [
    'harness-peer',
    'a peer has data of its own',
    (create) => async () => {
      const [subject, ...others] = await Promise.all([create(), create(), create(), create()]);
      const left = others.map(({ port }) => port);
      return {
        ...subject,
        peer: async () => left.pop() ?? subject.port,
        dispose: async () => {
          await Promise.all([subject, ...others].map((one) => one.dispose()));
        },
      };
    },
  ],
];

function inSubjects({ breaks, how, breaking }: DatabaseFault): SubjectFault {
  const opening = (create: Open): Open => {
    return async () => {
      const subject = await create();
      const members = breaking();
      const broken = (database: Database): Database => replacing(database, members(database));
      return {
        ...subject,
        port: broken(subject.port),
        peer: async () => broken(await subject.peer()),
        unreachable: async () => broken(await subject.unreachable()),
      };
    };
  };
  return [breaks, how, opening];
}
