import { setTimeout } from 'node:timers/promises';
import { MEMBER_SCOPES } from '@pinfold/core';
import { openRawConnection } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { OWNER, openScreen } from './open-screen.ts';

describe('requests that come at once on one connection of the screen', () => {
  it('are worked on one at a time', async () => {
    const waiting: (() => void)[] = [];
    let begun = 0;
    const screen = await openScreen({
      management: {
        authenticate: async () => {
          begun += 1;
          await new Promise<void>((go) => waiting.push(go));
          return { account: OWNER, scopes: MEMBER_SCOPES };
        },
      },
    });
    const connection = await openRawConnection(screen.base);
    await connection.send('GET /manage/ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    for (let answered = 0; answered < 3; answered += 1) {
      while (waiting.length === 0) await setTimeout(1);
      // Another connection is answered meanwhile.
      expect((await fetch(`${screen.base}/assets/none`)).status).to.equal(404);
      expect(begun).to.equal(answered + 1);
      waiting.shift()?.();
      expect((await connection.answer()).status).to.equal(200);
    }
    connection.destroy();
  });
});
