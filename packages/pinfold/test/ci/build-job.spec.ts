import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createBuildTitle, deriveBuildName, deriveRunKey, readEvent } from '../../src/ci/build-job.ts';
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

  it('has no branch if branch and commit do not fit', () => {
    const longest = 'b'.repeat(255 - ' · 0a1b2c3'.length);
    const titleFor = (branch: string, pageTitle?: string) =>
      createBuildTitle(pageTitle, { GITHUB_REF_NAME: branch, GITHUB_SHA: SHA });
    expect(titleFor(longest, 'Shop')).to.equal(`${longest} · 0a1b2c3`);
    expect(titleFor(`${longest}b`, 'Shop')).to.equal('0a1b2c3 · Shop');
    expect(titleFor(`${longest}b`)).to.equal('0a1b2c3');
    expect(createBuildTitle('Shop', { CI_COMMIT_BRANCH: 'b'.repeat(256) })).to.equal('Shop');
  });
});

const CONTENT = {
  filename: 'dist.zip',
  bytes: Uint8Array.of(1, 2),
  title: 'Mine',
  name: 'main',
  password: 'x',
};
const GITHUB = { GITHUB_RUN_ID: '1', GITHUB_JOB: 'publish', GITHUB_RUN_ATTEMPT: '1' };
const GITLAB = { CI_PIPELINE_ID: '1', CI_JOB_NAME: 'publish' };

describe('the Idempotency-Key of a run', () => {
  it('is the same in each attempt, even with another password', () => {
    const key = deriveRunKey(CONTENT, GITHUB);
    expect(key).to.match(/^ci-[0-9a-f]{64}$/);
    expect(deriveRunKey({ ...CONTENT, password: 'y' }, { ...GITHUB, GITHUB_RUN_ATTEMPT: '2' })).to.equal(key);
  });

  it('differs for another content, title, name, protection, run or job', () => {
    const keys = [
      deriveRunKey(CONTENT, GITHUB),
      deriveRunKey(CONTENT, GITLAB),
      ...(['filename', 'title', 'name'] as const).map((member) =>
        deriveRunKey({ ...CONTENT, [member]: 'other' }, GITHUB),
      ),
      deriveRunKey({ ...CONTENT, bytes: Uint8Array.of(1, 3) }, GITHUB),
      deriveRunKey({ ...CONTENT, password: undefined }, GITHUB),
      deriveRunKey({ ...CONTENT, name: undefined }, GITHUB),
      deriveRunKey({ ...CONTENT, title: undefined, name: 'Mine' }, GITHUB),
      deriveRunKey(CONTENT, { ...GITHUB, GITHUB_RUN_ID: '2' }),
      deriveRunKey(CONTENT, { ...GITHUB, GITHUB_JOB: 'other' }),
      deriveRunKey(CONTENT, { ...GITLAB, CI_PIPELINE_ID: '2' }),
      deriveRunKey(CONTENT, { ...GITLAB, CI_JOB_NAME: 'other' }),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
  });

  it('is undefined outside of a job', () => {
    for (const env of [{}, { GITHUB_RUN_ID: '1' }, { CI_PIPELINE_ID: '', CI_JOB_NAME: 'x' }])
      expect(deriveRunKey(CONTENT, env)).to.equal(undefined);
  });
});
