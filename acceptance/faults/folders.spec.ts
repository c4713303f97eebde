import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { HERE, openOwnedNode } from '../service/owned-node.ts';

describe('A folder of the service that is away', () => {
  for (const folder of ['archives', 'staging']) {
    it(`${folder}: costs answers of 503, and the server goes on when it is back`, async () => {
      const { addresses, client, close } = await openOwnedNode(HERE, createManualClock());
      const { pin } = await client.publish('before');
      const [there, away] = [join(addresses.folder, folder), join(addresses.folder, 'away')];

      await rename(there, away);
      for (const inItsPlace of [undefined, 'a file']) {
        if (inItsPlace !== undefined) await writeFile(there, inItsPlace);
        const refused = await client.publish('meanwhile');
        expect([refused.status, refused.code]).to.deep.equal([503, 'unavailable']);
        expect(refused.retryAfter).to.match(/^[1-9]\d*$/);
        expect(await client.view(pin?.id ?? '')).to.equal(folder === 'archives' ? 503 : 200);
        expect((await client.read(pin?.id ?? '')).status, 'its record').to.equal(200);
      }
      await rm(there);
      await rename(away, there);

      expect((await client.publish('meanwhile')).status).to.equal(201);
      expect(await client.view(pin?.id ?? '')).to.equal(200);
      await close();
    });
  }
});
