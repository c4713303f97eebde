import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { WIRE_TABLE, wireTable } from './wire-table.ts';

describe('the objects of the client', () => {
  it('are those of the API document', async () => {
    expect(await readFile(WIRE_TABLE, 'utf8'), 'run `pnpm --filter @pinfold/client wire`').to.equal(
      wireTable(),
    );
  });
});
