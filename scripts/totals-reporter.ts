// Without it the last lines of `npm test` would have to be parsed from mocha's output.
import { writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import Mocha from 'mocha';

/** The content of the file that SUITE_TOTALS names, after a suite. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** The first failure in its own words. */
  readonly first?: string;
}

/** Mocha's dots, and the totals as JSON. */
export default class TotalsReporter extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.SUITE_TOTALS;
    let first: string | undefined;
    // Otherwise each process that a test starts and kills would compile the same sources again in a new clone.
    runner.once(Mocha.Runner.constants.EVENT_RUN_BEGIN, () => flushCompileCache());
    runner.on(Mocha.Runner.constants.EVENT_TEST_FAIL, (test, error: Error) => {
      first ??= `${test.titlePath().join(' › ')}\n${error.message}`;
    });
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      if (!file) return;
      const { passes: passed, failures: failed } = this.stats;
      const totals: Totals = { passed, failed, ...(first === undefined ? {} : { first }) };
      writeFileSync(file, JSON.stringify(totals));
    });
  }
}
