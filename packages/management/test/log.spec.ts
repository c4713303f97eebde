import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { OPERATOR } from '@pinfold/core';
import type { RequestEntry } from '@pinfold/http';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { OWNER, openScreen, type Screen } from './open-screen.ts';
import { formOf, Person } from './person.ts';

describe('the log of the screen', () => {
  let screen: Screen;
  let person: Person;

  beforeEach(async () => {
    screen = await openScreen();
    person = new Person(screen.base);
  });

  function last(): Partial<RequestEntry> {
    return screen.log.at(-1) ?? {};
  }

  it('names the account that signed in, and its key', async () => {
    await screen.signedIn();
    expect(last()).to.include({ route: '/manage/sign-in', status: 303, account: OWNER });
    expect(last()).not.to.have.any.keys('key', 'outcome');
    const { text, key } = await screen.keys.create({ by: OPERATOR, account: OWNER, scopes: ['manage'] });
    const other = new Person(screen.base);
    await other.signIn({ key: text });
    expect(last()).to.include({ status: 303, account: OWNER, key: key.id });
  });

  it('names the reason of a refused sign-in', async () => {
    const wrong = await screen.keys.create({ by: OPERATOR, account: OWNER });
    for (const [fields, outcome] of [
      [{ link: 'used' }, 'unauthorized'],
      [{ key: 'unknown' }, 'unauthorized'],
      [{ key: wrong.text }, 'forbidden'],
    ] as const) {
      await person.signIn(fields);
      expect(last()).to.include({ status: 401, outcome });
    }
    await person.signIn({ form: 'of yesterday', key: 'unknown' });
    expect(last()).to.include({ status: 403, outcome: 'stale_form' });
    await new Person(screen.base).get('/keys');
    expect(last()).to.include({ status: 303, outcome: 'unauthorized' });
  });

  it('has an error of the embedding team’s function for addresses, which is answered with our page', async () => {
    const error = new Error('no address');
    const historyAddress = () => {
      throw error;
    };
    screen = await openScreen({ management: { historyAddress } });
    const { status, text } = await new Person(screen.base).get('/sign-in');
    expect(status).to.equal(500);
    expect(text).to.include('This page could not be shown').and.not.to.include('no address');
    expect(last()).to.include({ route: '/manage/sign-in', status: 500, error });
  });

  it('has one route for an address in any letter case', async () => {
    for (const base of ['manage', 'MANAGE', 'mAnAgE']) {
      await fetch(`${screen.base.replace('/manage', `/${base}`)}/sign-in`);
      expect(last(), base).to.include({ route: '/manage/sign-in', status: 200 });
    }
  });

  it('has the API’s code of a refusal', async () => {
    const { id } = await screen.publish('Report');
    person = await screen.signedIn();
    const { token: form } = await person.get(`/publications/${id}`);
    const cases = [
      [`/publications/${id}/rename`, { form, title: 'x'.repeat(256), seen: 'Report' }, 'invalid_title'],
      [`/publications/${id}/rename`, { form, title: 'x', seen: 'Other' }, 'overtaken'],
      [`/publications/${id}/password`, { form, password: '' }, 'invalid_password'],
      [`/publications/${id}/pin`, { form: 'of yesterday' }, 'stale_form'],
      ['/keys', { form, label: 'x' }, 'invalid_form'],
      ['/keys/none/revoke', { form }, 'not_found'],
    ] as const;
    for (const [path, fields, outcome] of cases) {
      await person.post(path, fields);
      expect(last(), path).to.include({ outcome, account: OWNER });
    }
    await person.post(`/publications/${id}/pin`, { form }, { origin: 'https://evil.example' });
    // The answer is sent before the form is read, and the entry is written after.
    while (last().outcome !== 'foreign_form') await setImmediate();
    expect(last()).to.include({ status: 403 }).and.not.to.have.property('gone');
    await person.get('/nothing');
    expect(last()).to.include({ status: 404, outcome: 'not_found' });
    await person.get('/');
    expect(last()).to.include({ status: 200 }).and.not.to.have.property('outcome');
  });

  it('has the code of a refused publication', async () => {
    person = await screen.signedIn();
    const { token: form } = await person.get('/');
    const sent = await person.upload(formOf({ form, key: 'mine' }, new TextEncoder().encode('no zip')));
    expect(sent.status).to.equal(422);
    expect(last()).to.include({ outcome: 'invalid_archive', account: OWNER });
  });

  it('has 499 and the account if the client left before its page was made', async () => {
    const loading = Promise.withResolvers<void>();
    screen = await openScreen({
      ports: ({ roles }) => ({
        roles: replacing(roles, {
          load: async (_id, signal) => {
            loading.resolve();
            await once(signal as AbortSignal, 'abort');
            throw signal?.reason;
          },
        }),
      }),
    });
    const { id } = await screen.publish('Report');
    person = await screen.signedIn();
    const entries = screen.log.length;
    const connection = await person.begin(`GET /manage/publications/${id}`);
    await loading.promise;
    connection.destroy();
    while (screen.log.length === entries) await setImmediate();
    expect(last()).to.include({ status: 499, gone: true, account: OWNER, role: id });
    expect(last()).not.to.have.any.keys('outcome', 'error');
  });
});
