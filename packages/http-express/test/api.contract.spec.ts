import { httpApiContract } from '@pinfold/test-contracts';
import { describeContract } from '@pinfold/test-contracts/mocha';
import { openHttpSubject } from 'pinfold-test-servers/service';
import { apiAlone } from './rig.ts';

describeContract(httpApiContract, {
  name: 'createApi',
  create: () => openHttpSubject('origin', apiAlone),
});
