import { expect } from 'chai';
import { deriveRunKey } from '../../src/ci/run-key.ts';

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
