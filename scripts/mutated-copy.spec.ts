import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { build, type Plugin } from 'esbuild';
import { mutated } from './mutated-copy.ts';

const root = join(import.meta.dirname, '..');

const filesOf = (pattern: string): readonly string[] => globSync(pattern, { cwd: root });

/** Leaves out what is not of the workspace. */
const ownPackages: Plugin = {
  name: 'own packages',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^(@pinfold\/|pinfold)/.test(path) ? undefined : { external: true },
    );
  },
};

/** Every file of the workspace that tests import. */
async function importedBy(specs: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: specs.flatMap(filesOf),
    bundle: true,
    conditions: ['@pinfold/source'],
    format: 'esm',
    metafile: true,
    outdir: 'nowhere',
    platform: 'node',
    plugins: [ownPackages],
    write: false,
  });
  return Object.keys(metafile.inputs);
}

for (const [name, { specs, packages }] of Object.entries(mutated)) {
  describe(`What mutation testing of ${name} copies`, () => {
    it('has tests for each of its patterns', () => {
      for (const pattern of specs) expect(filesOf(pattern), pattern).not.to.deep.equal([]);
    });

    it('has every package that the tests import, and no other', async () => {
      // The longest is the one: test-contracts/proof lies in test-contracts.
      const owners = [...packages].sort((one, other) => other.length - one.length);
      const owner = (file: string) => owners.find((path) => file.startsWith(`${path}/`)) ?? file;
      const needed = new Set((await importedBy(specs)).map(owner));
      expect([...needed]).to.have.members(packages);
    });
  });
}
