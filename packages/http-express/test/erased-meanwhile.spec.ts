import { accountId } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { publish } from './client.ts';
import { openRig, type Rig } from './rig.ts';

const OWNER = accountId('first');
const BY_OPERATOR = { actor: { kind: 'operator', id: null } } as const;

describe('A publication whose account is erased while it waits for its turn', () => {
  let rig: Rig;
  let meanwhile: () => Promise<unknown>;

  beforeEach(async () => {
    meanwhile = async () => undefined;
    rig = await openRig({
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          reserve: async (request) => {
            await meanwhile();
            return await roles.reserve(request);
          },
        }),
      }),
    });
    await publish(rig);
  });

  const begin = () => rig.administration.eraseAccount(OWNER, BY_OPERATOR);
  const erase = async (): Promise<void> => {
    await begin();
    await rig.administration.finishErasure(OWNER);
  };

  for (const [when, erasing] of [
    ['has begun', () => begin()],
    ['has ended', () => erase()],
  ] as const) {
    it(`is 401 once the erasure ${when}, and makes no account of that name again`, async () => {
      meanwhile = erasing;
      const { status, json } = await publish(rig, 'late');
      expect([status, json.code]).to.deep.equal([401, 'unauthorized']);
      meanwhile = async () => undefined;
      await rig.administration.finishErasure(OWNER);
      expect(await rig.administration.showAccount(OWNER)).to.equal(undefined);
      expect(await rig.administration.eraseAccount(OWNER, BY_OPERATOR)).to.include({ code: 'not_found' });
      expect(await rig.uploads()).to.deep.equal([]);
      expect(await rig.memory.archives.list(undefined, 10)).to.deep.equal([]);
    });
  }
});
