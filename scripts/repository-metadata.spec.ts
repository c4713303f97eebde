import { expect } from 'chai';
import { type Origin, originIn, publishedManifest, publishedReadme } from './repository-metadata.ts';

const origin: Origin = {
  repository: 'https://git.example/team/pinfold',
  homepage: 'https://pinfold.example',
  bugs: 'https://git.example/team/pinfold/issues',
};

describe('the origin of what is published', () => {
  it('is what the manifest of the workspace says, with or without .git', () => {
    const repository = 'https://git.example/team/pinfold.git';
    expect(originIn({ ...origin, repository }).origin).to.deep.equal(origin);
  });

  it('is missing while a member is, or is no address', () => {
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

  it('makes links of a README lead to the repository, and its pictures be found there', () => {
    const readme = 'See [the wire](../../docs/wire.md#errors) and ![a list](../../docs/screens/list.png).';
    expect(publishedReadme(readme, 'packages/viewer', origin)).to.equal(
      'See [the wire](https://git.example/team/pinfold/blob/HEAD/docs/wire.md#errors) and ' +
        '![a list](https://git.example/team/pinfold/raw/HEAD/docs/screens/list.png).',
    );
  });

  it('leaves words where a link would lead nowhere', () => {
    const readme = 'See [the wire](../../docs/wire.md).![a list](../../docs/screens/list.png)';
    expect(publishedReadme(readme, 'packages/viewer', undefined)).to.equal('See the wire.');
  });

  it('leaves other links and code as they are', () => {
    const readme = '[Inversify](https://inversify.io), [below](#api)\n```ts\nlist[0](../x);\na[b](c)\n```\n';
    for (const from of [origin, undefined]) {
      expect(publishedReadme(readme, 'packages/viewer', from)).to.equal(readme);
    }
  });
});
