import { minutes, OPERATOR, type PublicationLimits } from '@pinfold/core';
import { NodeSessionSecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import type { ManagementOptions } from '../src/index.ts';
import { OWNER, openSignedIn, person, screen, zipOf } from './open-screen.ts';
import { formOf } from './person.ts';

const SITE = zipOf({ 'index.html': 'x' });

describe('the quota of an account on the screen', () => {
  let form: string;

  async function open(
    quotas: Partial<PublicationLimits>,
    management: Partial<ManagementOptions> = {},
  ): Promise<void> {
    await openSignedIn({ quotas, management });
    form = (await person.get('/')).token;
  }

  const upload = (key: string) => person.upload(formOf({ form, key }, SITE));
  /** The answers to a change of every kind. */
  const changes = async (id: string) => {
    const verbs = ['stop', 'pin', 'unpin', 'renew', 'rename', 'password'];
    return [
      await upload('a'),
      await sendForm('b'),
      await person.post('/keys', { form, label: 'New' }),
      ...(await Promise.all(verbs.map((verb) => person.post(`/publications/${id}/${verb}`, { form })))),
    ];
  };
  const sendForm = (key: string) => person.post('/publish', formOf({ form, key }, SITE));

  it('is not mentioned without a limit', async () => {
    await open({});
    const { text } = await person.get('/');
    expect(text.match(/class="limits quiet"/g)).to.have.lengthOf(1);
  });

  it('is shown below the field, with the rest', async () => {
    await open({ publications: { count: 2, window: minutes(2) }, sites: 3, bytes: 1_048_576 });
    await upload('a');
    const { text } = await person.get('/');
    expect(text).to.include('2 of 3 publications left.');
    expect(text).to.match(/[\d,.]+ KiB of 1 MiB are left for archives\./);
    expect(text).to.include('1 publication left right now');
    await upload('b');
    expect((await person.get('/')).text).to.include('You can publish again in 1 minute.');
  });

  it('is explained with advice by the script and by the form that would exceed it', async () => {
    await open({ publications: { count: 1, window: minutes(1) } });
    await upload('a');
    const rate = await upload('b');
    expect(rate.status).to.equal(429);
    expect(rate.text).to.include('You can publish again in 1 minute.');
    expect((await sendForm('c')).status).to.equal(429);
    await open({ sites: 1 });
    await upload('a');
    const quota = await upload('b');
    expect(quota.status).to.equal(403);
    expect(quota.text).to.include('its limit of publications (1)');
    expect((await sendForm('c')).text).to.include('its limit of publications (1)');
    await open({ bytes: 1 });
    expect((await upload('a')).text).to.include('can have 1 byte together');
  });

  it('is not shown for a blocked account, which can read, revoke keys and sign out', async () => {
    await open({});
    const { id } = await screen.publish('Mine');
    const { key } = await screen.keys.create({ by: OPERATOR, account: OWNER });
    const loaded = await screen.memory.accounts.load(OWNER);
    if (loaded === undefined) throw new Error('no account');
    const blocked = { reason: 'a test', sites: 'keep', at: screen.clock.now() } as const;
    await screen.memory.accounts.save({ ...loaded.value, blocked }, loaded.version, []);
    for (const refused of await changes(id)) {
      expect(refused.status).to.equal(403);
      expect(refused.text).to.include('The operator blocked the account');
    }
    expect((await person.get(`/publications/${id}`)).status).to.equal(200);
    expect((await person.post(`/keys/${key.id}/revoke`, { form })).status).to.equal(303);
    expect((await person.post('/sign-out', { form })).status).to.equal(303);
  });

  it('is not shown in read-only mode, which every page mentions', async () => {
    await open({}, { createGrant: async () => ({ kind: 'refused', code: 'not_found' }) });
    const { id } = await screen.publish('Mine');
    const { key } = await screen.keys.create({ by: OPERATOR, account: OWNER });
    const secret = await screen.publish('Secret');
    await screen.protect(secret.id, 'correct horse');
    await screen.useCases.names.set({ by: OWNER, name: 'docs', pin: id });
    const { hash } = new NodeSessionSecrets().mint();
    await person.post('/connect/register', { request: hash });
    const message = 'Back at <b>noon</b>.';
    await screen.memory.mode.change({ kind: 'read_only', message }, []);
    for (const refused of await changes(id)) {
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '60']);
      expect(refused.text).to.include('read-only for maintenance').and.include('noon');
    }
    for (const page of ['/', `/publications/${id}`, '/keys']) {
      const { status, text } = await person.get(page);
      expect(status).to.equal(200);
      expect(text).to.include('read-only for maintenance').and.include('Back at &lt;b&gt;noon');
    }
    const stillAllowed = /\/(?:sign-out|open|revoke)$/;
    const publications = [`/publications/${id}`, `/publications/${secret.id}`, `/publications/${id}/stop`];
    const others = [`/stop?id=${id}`, '/names', '/keys', `/connect?request=${hash}`];
    for (const path of ['/', ...publications, ...others]) {
      const { status, text } = await person.get(path);
      expect(status, path).to.equal(200);
      expect(text.match(/id="read-only"/g), path).to.have.length(1);
      const buttons = enabledActions(text);
      expect(
        buttons.find((action) => !stillAllowed.test(action)),
        path,
      ).to.equal(undefined);
      expect(buttons, path).to.include('/manage/sign-out');
      expect(text, path).not.to.include('data-dialog>');
    }
    const opened = enabledActions((await person.get(`/publications/${secret.id}`)).text);
    expect(opened).to.include(`/manage/publications/${secret.id}/open`);
    const revoked = enabledActions((await person.get('/keys')).text);
    expect(revoked).to.include(`/manage/keys/${key.id}/revoke`);
    expect((await person.post(`/keys/${key.id}/revoke`, { form })).status).to.equal(303);
    await screen.memory.mode.change({ kind: 'normal', message: null }, []);
    expect((await person.get('/')).text).not.to.include('read-only for maintenance');
    expect((await person.post('/sign-out', { form })).status).to.equal(303);
  });
});

/** The targets of a page's enabled buttons, without searches. */
function enabledActions(text: string): readonly string[] {
  const isEnabled = (attributes = '') => !/ disabled| type="button"/.test(attributes);
  const forms = [...text.matchAll(/<form (?!class="search)[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)];
  const inForms = forms.flatMap(([, action = '', content = '']) =>
    [...content.matchAll(/<button([^>]*)>/g)].flatMap(([, button]) => (isEnabled(button) ? [action] : [])),
  );
  const elsewhere = [...text.matchAll(/<button([^>]*formaction="([^"]*)"[^>]*)>/g)];
  return [...inForms, ...elsewhere.flatMap(([, button, action = '']) => (isEnabled(button) ? [action] : []))];
}
