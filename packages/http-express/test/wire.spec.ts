import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { problemTable } from '../src/problems/problem-table.ts';

const PAGE = new URL('../../../docs/wire.md', import.meta.url);

describe('The page about the wire', () => {
  it('has every code with its status and the advice on the Idempotency-Key, and no other', async () => {
    const page = await readFile(PAGE, 'utf8');
    const rows = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \| [^|]+ \| (keep|new) \|$/gm)];
    const details = rows.map(([, status, code, key]) => `${status} ${code} ${key}`);
    const known = Object.values(problemTable).map(({ status, code, key }) => `${status} ${code} ${key}`);
    expect(details).to.have.members([...new Set(known)]);
    expect(new Set(details).size).to.equal(details.length);
  });
});
