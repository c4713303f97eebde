import { badZips, goodZips } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { useInspector } from './inspection.ts';

describe('ZipArchiveInspector', () => {
  const inspect = useInspector();

  for (const { name, bytes } of goodZips) {
    it(`accepts ${name}`, async () => {
      const { problems, files, proof } = await inspect(await bytes());
      expect(problems).to.deep.equal([]);
      expect(proof.entries.map(({ entry }) => entry)).to.include.members(files.map(({ entry }) => entry));
    });
  }

  for (const { name, rules, bytes } of badZips) {
    it(`refuses ${name}: ${rules.join(', ')}`, async () => {
      const found = await inspect(await bytes());
      expect(found.rules).to.deep.equal([...rules].sort());
    });
  }
});
