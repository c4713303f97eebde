import type { Database } from '@pinfold/core/records';
import { createMemoryDatabase } from '@pinfold/memory';
import { expect } from 'chai';
import { LIBRARY } from '../src/database/commands.ts';
import { checkRandomPrograms } from '../src/database/random.ts';
import { replacing } from '../src/fixtures/index.ts';
import { rejectionOf } from '../src/rejection.ts';

/** A database that returns nothing for every row that it found. */
async function forgetting() {
  const memory = createMemoryDatabase(LIBRARY);
  const write: Database['write'] = async (program, args) => {
    const results = (await memory.write(program, args)) as readonly unknown[];
    return results.map((result) => (Array.isArray(result) ? [] : result)) as never;
  };
  const port = replacing<Database>(memory, { write });
  return { port, peer: async () => port, unreachable: async () => port, dispose: () => memory.close() };
}

describe('Random programs with another outcome than in memory', () => {
  it('fail with the first step that differs, its actual and expected result, and the seed, which repeats the run', async () => {
    const { message } = (await rejectionOf(checkRandomPrograms(forgetting))) as Error;
    const [difference = '', advice = '', ...programs] = message.split('\n');
    expect(difference).to.match(
      /^\{"kind":"(find|distinct)",.*\}: expected \d+ items, but 0 \(\[0\] is .+\) came$/,
    );
    expect(programs.at(-1)).to.include(difference.slice(0, difference.indexOf(': expected')));
    const seed = Number(/seed (-?\d+)/.exec(advice)?.[1]);
    const again = (await rejectionOf(checkRandomPrograms(forgetting, { seed }))) as Error;
    expect(again.message).to.equal(message);
  });
});
