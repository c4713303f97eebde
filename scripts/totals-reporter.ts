// Without it the last line of `npm test` would have to be read out of mocha's prose.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Mocha's dots, and the totals as JSON in the file that PINFOLD_TOTALS names. */
export default class TotalsReporter extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.PINFOLD_TOTALS;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      if (file) {
        const { passes, failures } = this.stats;
        writeFileSync(file, JSON.stringify({ passed: passes, failed: failures }));
      }
    });
  }
}
