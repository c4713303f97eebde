import {
  badZips,
  createStagedArchives,
  goodZips,
  type StagedArchives,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ZipArchiveInspector } from '../src/index.ts';
import { inspect } from './inspection.ts';

describe('ZipArchiveInspector', () => {
  const inspector = new ZipArchiveInspector();
  let staged: StagedArchives;

  before(async () => {
    staged = await createStagedArchives();
  });
  after(async () => {
    await inspector.close();
    await staged.dispose();
  });

  for (const { name, bytes } of goodZips) {
    it(`accepts ${name}`, async () => {
      const { problems, files, proof } = await inspect(inspector, await staged.stage(await bytes()));
      expect(problems).to.deep.equal([]);
      expect(proof.entries.map(({ entry }) => entry)).to.include.members(files.map(({ entry }) => entry));
    });
  }

  for (const { name, rules, bytes } of badZips) {
    it(`refuses ${name}: ${rules.join(', ')}`, async () => {
      const found = await inspect(inspector, await staged.stage(await bytes()));
      expect(found.rules).to.deep.equal([...rules].sort());
    });
  }
});
