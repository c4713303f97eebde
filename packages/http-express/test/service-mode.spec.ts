import { minutes } from '@pinfold/core';
import { expect } from 'chai';
import { expectRefused, openAdministered } from './administered.ts';
import { type Answer, siteZip, update } from './client.ts';

describe('the mode under /admin/v1', () => {
  const NORMAL = { mode: 'normal', message: null };

  it('is normal until it is changed, and each change has one event', async () => {
    const { rig, ask } = await openAdministered();
    const service = async (answer: Answer) => {
      expect(answer.status).to.equal(200);
      return answer.json.service;
    };
    expect(await service(await ask('GET', '/service'))).to.deep.equal(NORMAL);
    const readOnly = { mode: 'read_only', message: 'Zurück um 12 Uhr' };
    for (const _ of [1, 2])
      expect(await service(await ask('PATCH', '/service', readOnly))).to.deep.equal(readOnly);
    expect(await service(await ask('GET', '/service'))).to.deep.equal(readOnly);
    rig.clock.advance(minutes(1));
    const silent = await service(await ask('PATCH', '/service', { mode: 'read_only' }));
    expect(silent).to.deep.equal({ ...readOnly, message: null });
    rig.clock.advance(minutes(1));
    expect(await service(await ask('PATCH', '/service', { mode: 'normal', message: null }))).to.deep.equal(
      NORMAL,
    );
    const { events } = (await ask('GET', '/events?limit=100')).json;
    const changes = events.filter(({ type }) => type === 'service.mode_changed');
    expect(changes).to.have.length(3);
    for (const { account, actor } of changes) {
      expect(account).to.equal(null);
      expect(actor).to.include({ kind: 'key' });
    }
  });

  it('refuses changes of accounts while it is read-only, with its message', async () => {
    const { rig, ask, askAsFirst } = await openAdministered();
    const archive = siteZip();
    const outcome = await rig.useCases.publish({ by: 'first', key: 'one', filename: 'site.zip', archive });
    const id = outcome.kind === 'published' ? outcome.publication.id : '';
    await ask('PATCH', '/service', { mode: 'read_only', message: 'Back at noon.' });
    const refused = [
      await askAsFirst('/api/v1/pins', { method: 'POST' }),
      await askAsFirst('/api/v1/pins?dry_run=true', { method: 'POST' }),
      await update(rig, id, { title: 'New' }),
      await askAsFirst(`/api/v1/pins/${id}`, { method: 'DELETE' }),
    ];
    for (const answer of refused) {
      expect(`${answer.status} ${answer.headers.get('retry-after')}`).to.equal('503 60');
      expect(answer.json).to.include({
        code: 'unavailable',
        detail: 'Back at noon.',
        retryable: true,
      });
    }
    for (const path of ['/pins', `/pins/${id}`, '/limits', '/events'])
      expect((await askAsFirst(`/api/v1${path}`)).status, path).to.equal(200);
    expect((await ask('PATCH', '/accounts/first', { limits: { sites: 3 } })).status).to.equal(200);
    await ask('PATCH', '/service', { mode: 'read_only' });
    const silent = (await askAsFirst(`/api/v1/pins/${id}`, { method: 'DELETE' })).json;
    expect(silent.detail).to.match(/read-only/);
    await ask('PATCH', '/service', { mode: 'normal' });
    expect((await askAsFirst(`/api/v1/pins/${id}`, { method: 'DELETE' })).status).to.equal(204);
  });

  it('is changed by a mode and a message, as in the API document', async () => {
    const { rig, ask } = await openAdministered();
    const message = 'x'.repeat(255);
    const right = { mode: 'read_only', message };
    const wrong = [
      {},
      [],
      { message },
      { mode: 'off' },
      { mode: null },
      { mode: 'read_only', message: '' },
      { mode: 'read_only', message: `${message}x` },
      { mode: 'read_only', message: 'a\u0000' },
      { mode: 'read_only', message: 1 },
      { mode: 'read_only', more: 1 },
    ];
    const texts = ['{"mode":"normal","mode":"read_only"}'];
    await expectRefused({ rig, ask }, ['PATCH', '/service'], 'ServiceUpdate', { right, wrong, texts });
    expect((await ask('POST', '/service', {})).headers.get('allow')).to.equal('GET, HEAD, PATCH');
    expect((await ask('GET', '/service')).json.service).to.deep.equal(NORMAL);
  });
});
