import { isFault } from '@pinfold/core';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { bucketVersions } from '../src/bucket-versions.ts';

type Client = Parameters<typeof bucketVersions>[0];

/** A store that gives each command its answer, or refuses it with a status. */
function store(answers: Readonly<Record<string, object | number>>): Client {
  const send = async (command: object): Promise<object> => {
    const answer = answers[command.constructor.name] ?? 500;
    if (typeof answer === 'object') return answer;
    throw Object.assign(new Error('refused'), { $metadata: { httpStatusCode: answer } });
  };
  return { send } as unknown as Client;
}

const ENABLED = { Status: 'Enabled' };

describe('the versions of a bucket', () => {
  const rule = (change: object): object => ({ Rules: [{ Status: 'Enabled', ...change }] });
  const cases: readonly (readonly [string, object | number, object | number])[] = [
    ['off', {}, 500],
    ['off', { Status: 'Suspended' }, 500],
    ['permanent', ENABLED, 404],
    ['permanent', ENABLED, rule({ Expiration: { Days: 1 } })],
    ['permanent', ENABLED, { Rules: [{ Status: 'Disabled', NoncurrentVersionExpiration: {} }] }],
    ['expiring', ENABLED, rule({ NoncurrentVersionExpiration: { NoncurrentDays: 30 } })],
    ['unknown', 403, 500],
    ['unknown', 501, 500],
    ['unknown', ENABLED, 403],
  ];
  for (const [expected, versioning, lifecycle] of cases) {
    it(`are ${expected} for ${JSON.stringify(versioning)} and ${JSON.stringify(lifecycle)}`, async () => {
      const client = store({
        GetBucketVersioningCommand: versioning,
        GetBucketLifecycleConfigurationCommand: lifecycle,
      });
      expect(await bucketVersions(client, 'sites')).to.equal(expected);
    });
  }

  it('throw a fault if the store does not answer', async () => {
    const error = await rejectionOf(bucketVersions(store({ GetBucketVersioningCommand: 503 }), 'sites'));
    expect(isFault(error) && error.code).to.equal('storage_unavailable');
  });
});
