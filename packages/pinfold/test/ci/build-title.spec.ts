import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createBuildTitle } from '../../src/ci/build-title.ts';
import { newFolder } from '../servers/new-folder.ts';

const SHA = '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567';
const MERGE_SHA = 'f'.repeat(40);

describe('the title of a publication in CI', () => {
  for (const [what, env, title] of [
    [
      'a push to a branch',
      { GITHUB_REF_NAME: 'feature/Tea', GITHUB_SHA: SHA },
      'feature/Tea · 0a1b2c3 · Shop',
    ],
    ['a tag of GitHub', { GITHUB_REF_NAME: 'v1.2', GITHUB_SHA: SHA }, 'v1.2 · 0a1b2c3 · Shop'],
    ['a branch of GitLab', { CI_COMMIT_BRANCH: 'main', CI_COMMIT_SHA: SHA }, 'main · 0a1b2c3 · Shop'],
    ['a tag of GitLab', { CI_COMMIT_TAG: 'v1', CI_COMMIT_SHA: SHA }, 'v1 · 0a1b2c3 · Shop'],
    ['a merge request', { CI_MERGE_REQUEST_IID: '7', CI_COMMIT_SHA: SHA }, 'pr-7 · 0a1b2c3 · Shop'],
    ['a build without a branch', { CI_COMMIT_SHA: SHA }, '0a1b2c3 · Shop'],
    ['a build without a commit', { CI_COMMIT_BRANCH: 'main' }, 'main · Shop'],
    ['another CI', {}, 'Shop'],
    ['a branch with forbidden characters', { CI_COMMIT_BRANCH: 'a\u0007b\uFFFDc\uD800' }, 'abc · Shop'],
  ] as const) {
    it(`of ${what} is ${title}`, () => expect(createBuildTitle('Shop', env)).to.equal(title));
  }

  it('has the number and the pushed commit of a pull request', async () => {
    const GITHUB_EVENT_PATH = join(newFolder(), 'event.json');
    await writeFile(GITHUB_EVENT_PATH, JSON.stringify({ number: 12, pull_request: { head: { sha: SHA } } }));
    const env = { GITHUB_EVENT_PATH, GITHUB_EVENT_NAME: 'pull_request' };
    const mergeBuild = { ...env, GITHUB_REF_NAME: '12/merge', GITHUB_SHA: MERGE_SHA };
    expect(createBuildTitle(undefined, mergeBuild)).to.equal('pr-12 · 0a1b2c3');
    await writeFile(GITHUB_EVENT_PATH, JSON.stringify({ number: 12, pull_request: { head: null } }));
    expect(createBuildTitle(undefined, mergeBuild)).to.equal('pr-12 · fffffff');
  });

  it('has the title of the page only if all of it fits', () => {
    const env = { CI_COMMIT_BRANCH: 'main' };
    const fits = '🍵'.repeat(255 - 'main · '.length);
    expect(createBuildTitle(fits, env)).to.equal(`main · ${fits}`);
    expect(createBuildTitle(`${fits}!`, env)).to.equal('main');
    expect(createBuildTitle('x'.repeat(256), {})).to.equal(undefined);
    expect(createBuildTitle(undefined, {})).to.equal(undefined);
  });
});
