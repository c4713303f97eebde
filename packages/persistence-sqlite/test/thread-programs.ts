import { type AnyProgram, type AnyQuery, defineProgram, nothing } from '@pinfold/core/records';
import { LIBRARY } from '@pinfold/test-contracts/internal';

/** Does nothing, in a transaction. */
export const NOTHING = defineProgram('test.nothing', { run: () => nothing });

/** What the thread of these tests knows. */
export const THREAD_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [...LIBRARY.programs, NOTHING];
