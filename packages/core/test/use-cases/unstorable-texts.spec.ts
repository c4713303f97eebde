import { type AccountId, type Cause, OPERATOR } from '@pinfold/core';
import { createKeys, createPairings, createSessions } from '@pinfold/core/accounts';
import { createAdministration } from '@pinfold/core/administration';
import { rejectionOf } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { eventsOf, OWNER, stageOfEachTest } from './stage.ts';

const causeOf = (id: string, more: Partial<Cause> = {}): Cause => ({
  actor: { kind: 'person', id },
  ...more,
});

describe('texts that a database or an export cannot store', () => {
  const stage = stageOfEachTest();

  for (const text of ['a\0b', '\ud83d', 5 as never as string]) {
    it(`are refused with a TypeError before anything is stored: ${JSON.stringify(text)}`, async () => {
      const keys = createKeys(stage.ports);
      const sessions = createSessions(stage.ports, keys);
      const pairings = createPairings(stage.ports, keys);
      const { eraseAccount, changeService } = createAdministration(stage.ports);
      const { text: secret, hash: secretHash } = await stage.ports.sessionSecrets.mint();
      await pairings.register(secretHash);
      const consent = {
        secretHash,
        account: OWNER,
        scopes: ['pins:write'],
        label: 'CI',
        cause: causeOf('u1'),
      };
      const person = { account: OWNER, id: 'u1', displayName: null, scope: 'manage' } as const;
      const { useCases } = stage;
      const publication = { ...(await stage.request()), cause: causeOf(text) };
      const refused: Readonly<Record<string, () => Promise<unknown>>> = {
        'the label of a key': () => keys.create({ by: OPERATOR, account: OWNER, label: text }),
        'who creates a key': () => keys.create({ by: OPERATOR, account: OWNER, cause: causeOf(text) }),
        'the label of a consent': () => pairings.agree({ ...consent, label: text } as never),
        'who consents': () => pairings.agree({ ...consent, cause: causeOf(text) } as never),
        'the name of a person': () => sessions.signInPerson({ ...person, displayName: text }),
        'the id of a person': () => sessions.signInPerson({ ...person, id: text }),
        'the account of a person': () => sessions.signInPerson({ ...person, account: text as AccountId }),
        'the account of a refused person': () =>
          sessions.refusePerson({ ...person, account: text as AccountId }),
        'the request of a sign-in': () => sessions.signInPerson(person, { request: text }),
        'the address of a sign-in': () => sessions.signInPerson(person, { address: text }),
        'who offers a link': () => sessions.offerLink(OWNER, causeOf(text)),
        'who erases an account': () => eraseAccount(OWNER, causeOf(text)),
        'who changes the mode': () => changeService({ kind: 'normal', message: null }, causeOf(text)),
        'who publishes': () => useCases.publish(publication),
      };
      for (const [what, call] of Object.entries(refused)) {
        const thrown = await rejectionOf(call());
        expect(thrown, what).to.be.instanceOf(TypeError);
        expect(String(thrown), what).to.match(/half a surrogate pair|printable characters/);
      }
      expect(await eventsOf(stage)).to.deep.equal([]);
      expect(await stage.memory.archives.list(undefined, 1)).to.deep.equal([]);
      expect(await pairings.redeem(secret)).to.deep.equal({ kind: 'waiting' });
      expect((await useCases.publish(await stage.request())).kind).to.equal('published');
    });
  }
});
