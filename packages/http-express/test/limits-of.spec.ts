import { days } from '@pinfold/core';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { openRig, type Rig } from './rig.ts';

describe('an account with limits of its own', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig({
      limitsOf: (account) => (account === 'first' ? { archiveBytes: 500, lifetime: days(30) } : {}),
    });
  });
  afterEach(() => rig.close());

  const limitsOf = async (key: string): Promise<Readonly<Record<string, number>>> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${rig.baseUrl}/api/v1/limits`, { headers });
    return ((await answer.json()) as { readonly limits: Readonly<Record<string, number>> }).limits;
  };
  const publish = (key: string, bytes: number): Promise<Response> => {
    const body = new FormData();
    const zip = zipSync({ 'index.html': crypto.getRandomValues(new Uint8Array(bytes)) }, { level: 0 });
    body.set('archive', new Blob([new Uint8Array(zip)], { type: 'application/zip' }), 'site.zip');
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': crypto.randomUUID() };
    return fetch(`${rig.baseUrl}/api/v1/pins`, { method: 'POST', headers, body });
  };

  it('is told them, and nobody else is', async () => {
    expect(await limitsOf(rig.keys.first)).to.include({ archive_bytes: 500, lifetime_days: 30 });
    expect(await limitsOf(rig.keys.second)).to.include({ archive_bytes: 10_485_760, lifetime_days: 7 });
  });

  it('publishes within them', async () => {
    const { pin } = (await (await publish(rig.keys.first, 10)).json()) as {
      readonly pin: { readonly published_at: string; readonly expires_at: string };
    };
    expect(Date.parse(pin.expires_at) - Date.parse(pin.published_at)).to.equal(days(30));
    expect((await publish(rig.keys.second, 600)).status).to.equal(201);
    const refused = await publish(rig.keys.first, 600);
    expect(refused.status).to.equal(413);
    expect(JSON.stringify(await refused.json())).to.include('500');
  });
});
