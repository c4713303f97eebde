import { expect } from 'chai';
import { consoleLog } from '../src/internal.ts';

const entry = { requestId: 'r-1', method: 'GET', route: 'site', role: null, milliseconds: 1 } as const;

describe('a door without a log', () => {
  const { error: print } = console;
  const printed: unknown[][] = [];

  beforeEach(() => {
    printed.length = 0;
    console.error = (...all) => printed.push(all);
  });
  afterEach(() => {
    console.error = print;
  });

  it('writes faults to the console', () => {
    const error = new Error('directory away');
    consoleLog({ ...entry, status: 500, error });
    expect(printed).to.deep.equal([['Pinfold answered GET site with 500 (request r-1):', error]]);
  });

  it('writes nothing else to it', () => {
    consoleLog({ ...entry, status: 200 });
    consoleLog({ ...entry, status: 503 });
    consoleLog({ ...entry, status: 404, error: new Error('expected') });
    expect(printed).to.deep.equal([]);
  });
});
