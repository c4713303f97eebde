import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSettings } from '../../src/settings/settings.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'operators');

describe("the operators' pages", () => {
  it('name no variable that does not exist', async () => {
    const pages = await Promise.all(
      (await readdir(FOLDER)).map((page) => readFile(join(FOLDER, page), 'utf8')),
    );
    const named = new Set(pages.join('\n').match(/\bPINFOLD_[A-Z_]+[A-Z]\b/g));
    expect(named.size).to.be.greaterThan(10);
    // An empty variable is an absent one, but its name is looked at.
    const env = Object.fromEntries([...named].map((name) => [name, '']));
    expect(readSettings(env).notes).to.deep.equal([]);
  });
});
