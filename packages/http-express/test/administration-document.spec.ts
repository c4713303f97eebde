import { accountId, OPERATOR } from '@pinfold/core';
import { expect } from 'chai';
import { openAdministered } from './administered.ts';
import { ask } from './client.ts';

describe('GET /admin/openapi.json', () => {
  it('is only for callers with the scope admin', async () => {
    const { rig } = await openAdministered();
    const fields = { by: OPERATOR, account: accountId('operators'), scopes: ['admin'] } as const;
    const { text: key } = await rig.manageKeys.create(fields);
    const read = (headers: Record<string, string>, method = 'GET') =>
      ask(rig, '/admin/openapi.json', { method, headers });
    const as = (authorization: string) => ({ authorization, 'accept-encoding': 'identity' });
    expect((await read(as('Bearer wrong'))).status).to.equal(401);
    for (const method of ['GET', 'POST']) {
      const other = await read(as(`Bearer ${rig.keys.first}`), method);
      expect([other.status, other.headers.get('allow')]).to.deep.equal([404, null]);
    }
    const document = await read(as(`Bearer ${key}`));
    expect(document.status).to.equal(200);
    expect(JSON.parse(document.text)).to.deep.equal(JSON.parse(JSON.stringify(rig.administrationDocument)));
    expect(rig.log.at(-1)?.route).to.equal('/admin/openapi.json');
  });
});
