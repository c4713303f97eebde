import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { accountId, MEMBER_SCOPES } from '@pinfold/core';
import { expect } from 'chai';
import { openRig } from './rig.ts';

describe('requests that come at once on one connection of the API', () => {
  it('are worked on one at a time', async () => {
    const waiting: (() => void)[] = [];
    let begun = 0;
    const rig = await openRig({
      api: {
        authenticate: async () => {
          begun += 1;
          await new Promise<void>((go) => waiting.push(go));
          return { account: accountId('first'), scopes: MEMBER_SCOPES };
        },
      },
    });
    let text = '';
    const socket = connect(rig.port, '127.0.0.1').on('data', (chunk) => {
      text += chunk;
    });
    socket.write('GET /api/v1/limits HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
    for (let answered = 0; answered < 3; answered += 1) {
      while (waiting.length === 0) await setTimeout(1);
      // Another connection is answered meanwhile.
      expect((await fetch(`${rig.baseUrl}/openapi.json`)).status).to.equal(200);
      expect(begun).to.equal(answered + 1);
      waiting.shift()?.();
      while (text.split('200 OK').length - 1 === answered) await setTimeout(1);
    }
    socket.destroy();
  });
});
