import { expect } from 'chai';
import { type Origin, originIn, publishedManifest, publishedReadme } from './repository-metadata.ts';

const origin: Origin = {
  repository: 'https://git.example/team/pinfold',
  homepage: 'https://pinfold.example',
  bugs: 'https://git.example/team/pinfold/issues',
};

describe('the origin of what is published', () => {
  it('is read from the manifest of the workspace, with or without .git', () => {
    const repository = 'https://git.example/team/pinfold.git';
    expect(originIn({ ...origin, repository }).origin).to.deep.equal(origin);
  });

  it('is missing if a member is missing, or is not an address', () => {
    const { bugs: _, ...rest } = origin;
    expect(originIn(rest)).to.deep.equal({ missing: ['bugs'] });
    expect(originIn({ ...origin, homepage: 'not known yet' })).to.deep.equal({ missing: ['homepage'] });
    expect(originIn({}).missing).to.deep.equal(['repository', 'homepage', 'bugs']);
  });

  it('is in every manifest, with the folder of the package', () => {
    const manifest = { name: 'pinfold', scripts: { test: 'mocha' }, devDependencies: { chai: '^6' } };
    expect(publishedManifest(manifest, 'packages/pinfold', origin)).to.deep.equal({
      name: 'pinfold',
      repository: {
        type: 'git',
        url: 'git+https://git.example/team/pinfold.git',
        directory: 'packages/pinfold',
      },
      homepage: 'https://pinfold.example',
      bugs: { url: 'https://git.example/team/pinfold/issues' },
    });
    expect(publishedManifest(manifest, 'packages/pinfold', undefined)).to.deep.equal({ name: 'pinfold' });
  });

  it('points links and pictures of a README to the repository', () => {
    const readme = 'See [the wire](../../docs/wire.md#errors) and ![a list](../../docs/screens/list.png).';
    expect(publishedReadme(readme, 'packages/viewer', origin)).to.equal(
      'See [the wire](https://git.example/team/pinfold/blob/HEAD/docs/wire.md#errors) and ' +
        '![a list](https://git.example/team/pinfold/raw/HEAD/docs/screens/list.png).',
    );
  });

  it('replaces a link that would lead nowhere with its text', () => {
    const readme = 'See [the wire](../../docs/wire.md).![a list](../../docs/screens/list.png)';
    expect(publishedReadme(readme, 'packages/viewer', undefined)).to.equal('See the wire.');
  });

  it('does not change other links and code', () => {
    const readme = '[Inversify](https://inversify.io), [below](#api)\n```ts\nlist[0](../x);\na[b](c)\n```\n';
    for (const from of [origin, undefined]) {
      expect(publishedReadme(readme, 'packages/viewer', from)).to.equal(readme);
    }
  });
});
