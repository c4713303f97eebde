import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.github', 'workflows');

describe('the workflows', () => {
  for (const name of readdirSync(folder)) {
    it(`run files that exist: ${name}`, () => {
      const text = readFileSync(join(folder, name), 'utf8');
      const files =
        text.match(/\b(?:acceptance|bench|packages|scripts|test-contracts)\/\S+\.m?[jt]s\b/g) ?? [];
      expect(files.filter((file) => !existsSync(join(root, file)))).to.deep.equal([]);
    });
  }
});
