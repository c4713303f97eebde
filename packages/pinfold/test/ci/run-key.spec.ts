import { expect } from 'chai';
import { keyOfRun } from '../../src/ci/run-key.ts';

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
  it('is the same in each attempt, whatever the password', () => {
    const key = keyOfRun(CONTENT, GITHUB);
    expect(key).to.match(/^ci-[0-9a-f]{64}$/);
    expect(keyOfRun({ ...CONTENT, password: 'y' }, { ...GITHUB, GITHUB_RUN_ATTEMPT: '2' })).to.equal(key);
  });

  it('is another for another content, title, name, protection, run or job', () => {
    const keys = [
      keyOfRun(CONTENT, GITHUB),
      keyOfRun(CONTENT, GITLAB),
      ...(['filename', 'title', 'name'] as const).map((member) =>
        keyOfRun({ ...CONTENT, [member]: 'other' }, GITHUB),
      ),
      keyOfRun({ ...CONTENT, bytes: Uint8Array.of(1, 3) }, GITHUB),
      keyOfRun({ ...CONTENT, password: undefined }, GITHUB),
      keyOfRun({ ...CONTENT, name: undefined }, GITHUB),
      keyOfRun({ ...CONTENT, title: undefined, name: 'Mine' }, GITHUB),
      keyOfRun(CONTENT, { ...GITHUB, GITHUB_RUN_ID: '2' }),
      keyOfRun(CONTENT, { ...GITHUB, GITHUB_JOB: 'other' }),
      keyOfRun(CONTENT, { ...GITLAB, CI_PIPELINE_ID: '2' }),
      keyOfRun(CONTENT, { ...GITLAB, CI_JOB_NAME: 'other' }),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
  });

  it('is none outside of a job', () => {
    for (const env of [{}, { GITHUB_RUN_ID: '1' }, { CI_PIPELINE_ID: '', CI_JOB_NAME: 'x' }])
      expect(keyOfRun(CONTENT, env)).to.equal(undefined);
  });
});
