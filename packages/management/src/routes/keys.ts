import { codePoints, type Keys, SCOPES, type Scope } from '@pinfold/core';
import { type Answer, page, seeOther } from '../answer.ts';
import { fieldOf, fieldsOf } from '../field.ts';
import { keysView } from '../views/keys.ts';
import type { SignedInVisit } from '../visit.ts';

const LONGEST_LABEL = 100;

/** The account's API keys. */
export class KeyRoutes {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  async show(visit: SignedInVisit): Promise<Answer> {
    return page(keysView(visit, { keys: await this.#list(visit) }));
  }

  /** Makes a key; its text is shown on the page that follows, and never again. */
  async create(visit: SignedInVisit): Promise<Answer> {
    const label = (fieldOf(visit.request, 'label') ?? '').trim();
    const scopes = fieldsOf(visit.request, 'scope').filter(isScope);
    const tooLong = codePoints(label) > LONGEST_LABEL || /\p{Cc}/u.test(label);
    if (tooLong || scopes.length === 0) {
      const message = visit.words.say(tooLong ? 'labelTooLong' : 'scopeNeeded', { limit: LONGEST_LABEL });
      return page(keysView(visit, { keys: await this.#list(visit), trouble: { message, label } }), 422);
    }
    const { text } = await this.#keys.create({ account: visit.account, label, scopes });
    return seeOther(`${visit.base}/keys`, { tone: 'good', message: 'didCreateKey', apiKey: text });
  }

  async revoke(visit: SignedInVisit): Promise<Answer> {
    const id = String(visit.request.params.key);
    const outcome = await this.#keys.revoke({ id, by: visit.account });
    const back = `${visit.base}/keys`;
    return outcome.kind === 'revoked'
      ? seeOther(back, { tone: 'good', message: 'didRevokeKey' })
      : seeOther(back, { tone: 'bad', message: 'keyGone' });
  }

  async #list({ account }: SignedInVisit) {
    const keys = await this.#keys.list(account);
    return [...keys]
      .reverse()
      .sort((one, other) => Number(one.revokedAt !== null) - Number(other.revokedAt !== null));
  }
}

function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
