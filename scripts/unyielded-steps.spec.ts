import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as records from '@pinfold/core/records';
import { expect } from 'chai';
import { STEP_FUNCTIONS, unyieldedSteps } from './unyielded-steps.ts';

const root = join(import.meta.dirname, '..');
const SOURCES = '{packages/*,test-contracts,acceptance,bench,examples/*}/**/*.ts';
const IMPORT = "import { all, find, get, insert, remove } from '@pinfold/core/records';\n";

describe('a step that is called and not yielded', () => {
  it('is found as a statement', () => {
    expect(unyieldedSteps(`${IMPORT}function* run() {\n  remove(NAMES, key);\n}`)).to.deep.equal([
      '3: remove',
    ]);
    expect(unyieldedSteps(`${IMPORT}const run = () => { isThere && remove(NAMES, key); };`)).to.deep.equal([
      '2: remove',
    ]);
    expect(
      unyieldedSteps(`${IMPORT}function* run() { isThere ? get(A, key) : all(...rows); }`),
    ).to.deep.equal(['2: get', '2: all']);
  });

  it('is found in the result of another function, within a program', () => {
    expect(unyieldedSteps(`${IMPORT}const run = { *run() { storeEvents(events); } };`)).to.deep.equal([
      '2: storeEvents',
    ]);
  });

  it('is found in forEach, and if a star is missing', () => {
    expect(unyieldedSteps(`${IMPORT}keys.forEach((key) => remove(NAMES, key));`)).to.deep.equal([
      '2: remove',
    ]);
    expect(unyieldedSteps(`${IMPORT}function* run() { const row = yield get(A, key); }`)).to.deep.equal([
      '2: get',
    ]);
  });

  it('is not found if it is yielded or passed on, nor in calls of methods and of other modules', () => {
    const program = `function* run() {
      const row: Row | undefined = yield* get(A, key);
      yield* all(...keys.map((key) => remove(A, key)));
      rows.push(row);
      return yield* find(A, {});
    }`;
    expect(unyieldedSteps(IMPORT + program)).to.deep.equal([]);
    expect(unyieldedSteps("import { remove } from 'node:fs';\nremove(file);")).to.deep.equal([]);
  });

  it('is nowhere in the workspace', () => {
    const exclude = (name: string): boolean =>
      /(?:^|[\\/])(?:node_modules|dist|test-d)(?:[\\/]|$)/.test(name);
    const files = globSync(SOURCES, { cwd: root, exclude });
    expect(files.filter((file) => file.endsWith('records/steps.ts'))).to.have.length(1);
    const found = files.flatMap((file) =>
      unyieldedSteps(readFileSync(join(root, file), 'utf8')).map((step) => `${file}:${step}`),
    );
    expect(found).to.deep.equal([]);
  });

  it('is searched for by the name of every function that creates one', () => {
    expect(Object.keys(records)).to.include.members([...STEP_FUNCTIONS]);
    const made = Object.entries(records).flatMap(([name, made]) => {
      if (typeof made !== 'function' || STEP_FUNCTIONS.has(name)) return [];
      return /new Step\b/.test(made.toString()) ? [name] : [];
    });
    expect(made).to.deep.equal([]);
  });
});
