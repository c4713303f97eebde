import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { deriveBuildName, readEvent } from '../../src/ci/branch-name.ts';
import { newFolder } from '../servers/new-folder.ts';

/** `printf %s BRANCH | sha256sum` gives these digits. */
const BRANCHES: readonly (readonly [branch: string, name: string])[] = [
  ['main', 'main'],
  ['Main', 'main'],
  ['release-1', 'release-1'],
  ['a--b', 'a--b'],
  ['feature/x', 'feature-x-217d2bf5'],
  ['feature_/x', 'feature-x-ec440318'],
  ['-main', 'main-7e070c74'],
  ['main-', 'main-fa5bafac'],
  ['日本語', '77710aed'],
  ['fix-日本語', 'fix-ff95cb7a'],
  ['---', 'cb3f91d5'],
  ['pr-7', 'pr-7-c1cec5c4'],
  ['PR-7', 'pr-7-7fd7d21a'],
  ['pr-x', 'pr-x'],
  // The Kelvin sign is not a letter from A to Z, although its lower case is one.
  ['\u212A', 'k-2bc4fb87'],
  ['a'.repeat(54), 'a'.repeat(54)],
  ['a'.repeat(55), `${'a'.repeat(54)}-9f4390f8`],
  [`${'a'.repeat(53)}-b`, `${'a'.repeat(53)}-c52b3abd`],
];

describe('the name for a branch', () => {
  for (const [branch, name] of BRANCHES) {
    it(`${JSON.stringify(branch)} is ${name}`, () => {
      expect(deriveBuildName({ GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: branch }, undefined)).to.equal(
        name,
      );
      expect(deriveBuildName({ CI_COMMIT_BRANCH: branch }, undefined)).to.equal(name);
      expect(name).to.match(/^(?!-)[a-z0-9-]{1,63}(?<!-)$/);
    });
  }

  it('is different for branches that differ in more than case', () => {
    const names = ['a/b', 'a_b', 'a-b', 'a.b', 'a//b', 'a--b', '/a/b'].map((branch) =>
      deriveBuildName({ CI_COMMIT_BRANCH: branch }, undefined),
    );
    expect(new Set(names).size).to.equal(names.length);
  });
});

describe('the name for a build', () => {
  const github = { GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: '12/merge', GITHUB_REF: 'refs/pull/12/merge' };

  for (const [what, env, event, name] of [
    ['a pull request', { ...github, GITHUB_EVENT_NAME: 'pull_request' }, { number: 42 }, 'pr-42'],
    ['a pull request without a number', { ...github, GITHUB_EVENT_NAME: 'pull_request' }, {}, undefined],
    ['a review', { ...github, GITHUB_EVENT_NAME: 'pull_request_review' }, { number: '42' }, undefined],
    ['a push', { GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' }, { ref: 'refs/heads/main' }, 'main'],
    ['a tag', { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1' }, { ref: 'refs/tags/v1' }, undefined],
    ['a merge request', { CI_MERGE_REQUEST_IID: '7', CI_COMMIT_REF_NAME: 'x' }, undefined, 'pr-7'],
    ['a tag of GitLab', { CI_COMMIT_TAG: 'v1', CI_COMMIT_REF_NAME: 'v1' }, undefined, undefined],
    ['no CI', {}, undefined, undefined],
    ['invalid numbers', { CI_MERGE_REQUEST_IID: '7;rm' }, { number: -1 }, undefined],
    ['an event that is not an object', {}, 'x', undefined],
  ] as const) {
    it(`of ${what} is ${name}`, () => expect(deriveBuildName(env, event)).to.equal(name));
  }

  it('comes from the event file, unless that is missing or not JSON', async () => {
    const folder = newFolder();
    const file = join(folder, 'event.json');
    await writeFile(file, '{"number": 42}');
    expect(readEvent({ GITHUB_EVENT_PATH: file })).to.deep.equal({ number: 42 });
    await writeFile(file, 'no JSON');
    expect(readEvent({ GITHUB_EVENT_PATH: file })).to.equal(undefined);
    expect(readEvent({ GITHUB_EVENT_PATH: join(folder, 'none') })).to.equal(undefined);
    expect(readEvent({})).to.equal(undefined);
  });
});
