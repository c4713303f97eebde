import { OPERATOR, type RoleId } from '@pinfold/core';
import { type HttpSubject, httpApiContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { openRig } from './rig.ts';

describeContract(httpApiContract, {
  name: 'createApi',
  create: async (): Promise<HttpSubject> => {
    const rig = await openRig();
    const { baseUrl, keys, useCases } = rig;
    const port = {
      baseUrl,
      viewerMode: 'origin',
      keys,
      advance: async (length) => rig.clock.advance(length),
      pin: async (id) => void (await useCases.pin({ by: OPERATOR, id: id as RoleId })),
      unpin: async (id) => void (await useCases.unpin({ by: OPERATOR, id: id as RoleId })),
    } satisfies HttpSubject['port'];
    return { port, peer: async () => port, dispose: rig.close };
  },
});
