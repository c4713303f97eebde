import {
  type Actor,
  type ApiKey,
  type ApiKeyId,
  type Instant,
  type Keys,
  OPERATOR,
  type Scope,
} from '@pinfold/core';
import { everyKey } from '@pinfold/core/accounts';
import { KNOWN_SCOPES, parseApiKeyId, toRfc3339 } from '@pinfold/core/internal';
import {
  readAccount,
  readActingAccount,
  readOneOrAll,
  rejectReplacedText,
} from '../command-line/arguments.ts';
import { type Command, command, flagOption, listOption, valueOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { LIST_OPTIONS, pluralize, printList } from '../command-line/print-list.ts';
import { checkNotErasing, withComposition } from '../command-line/with-composition.ts';
import { DEFAULT_ACCOUNT, operatorCause } from '../identity.ts';

const create = command({
  name: 'keys create',
  options: {
    account: valueOption('NAME', 'the account of the key (default: default)'),
    label: valueOption('TEXT', 'a label for people'),
    scope: listOption(
      'SCOPE',
      'pins:read, pins:write, manage or admin; repeatable (default: pins:read and pins:write)',
    ),
  },
  help: 'create an API key and print it; it is shown only once',
  example: 'pinfold keys create --account web-team --label "build server"',
  guide: 'secrets.md#api-keys',
  run: async (_, values, terminal) => {
    const account = values.account === undefined ? DEFAULT_ACCOUNT : readActingAccount(values.account);
    const scopes = readScopes(values.scope);
    const label = readLabel(values.label ?? '');
    const request = { by: OPERATOR, account, label, cause: operatorCause() };
    const { key, text } = await withComposition(terminal, async ({ manageKeys, administration }) => {
      await checkNotErasing(administration, account, 'it cannot get a key');
      return await manageKeys.create({ ...request, ...(scopes === undefined ? {} : { scopes }) });
    });
    const { id, scopes: granted } = key;
    if (!values.json)
      terminal.err(`key ${id} of account "${key.account}" (${granted.join(', ')}); it is shown only now`);
    return { json: { key: text, ...toJson(key) }, text };
  },
});

const list = command({
  name: 'keys list',
  options: { account: valueOption('NAME', 'only the keys of one account'), ...LIST_OPTIONS },
  help: 'list API keys: id, account, scopes, creation, last use or revocation, label',
  example: 'pinfold keys list --json',
  run: async (_, { account, ...format }, terminal) => {
    const by = account === undefined ? OPERATOR : readAccount(account);
    await withComposition(terminal, ({ manageKeys }) =>
      printList(everyKey(manageKeys, { by }), terminal, { ...format, member: 'keys', toColumns, toJson }),
    );
  },
});

const revoke = command({
  name: 'keys revoke',
  arguments: ['[ID]'],
  options: {
    account: valueOption('NAME', 'all keys of one account, in place of ID'),
    all: flagOption('all keys of all accounts, in place of ID'),
  },
  help: 'revoke API keys immediately',
  example: 'pinfold keys revoke 7Hq2Xw',
  guide: 'secrets.md#every-secret',
  run: async ([text], values, terminal) => {
    const target = readOneOrAll(text, values);
    if (!('id' in target)) {
      const by = target.account ?? OPERATOR;
      const ids = await withComposition(terminal, ({ manageKeys }) => revokeAll(manageKeys, by));
      return { json: { revoked: ids }, text: `${pluralize(ids.length, 'key')} revoked.` };
    }
    const id = readKeyId(target.id);
    const outcome = await withComposition(terminal, ({ manageKeys }) =>
      manageKeys.revoke(createRevocation(id)),
    );
    if (outcome.kind === 'unknown') throw keyNotFound();
    return { json: { id, revoked: true }, text: `${id} is revoked.` };
  },
});

export const commands: readonly Command[] = [create, list, revoke];

const createRevocation = (id: ApiKeyId) => ({ id, by: OPERATOR, cause: operatorCause() });

/** Repeats until no key is left: a key with the scope `manage` may create another meanwhile. */
async function revokeAll(keys: Keys, by: Actor): Promise<readonly ApiKeyId[]> {
  const revoked: ApiKeyId[] = [];
  for (let before = -1; before < revoked.length; ) {
    before = revoked.length;
    for await (const { id, revokedAt } of everyKey(keys, { by })) {
      if (revokedAt !== null) continue;
      await keys.revoke(createRevocation(id));
      revoked.push(id);
    }
  }
  return revoked;
}

function keyNotFound(): CommandFailure {
  return new CommandFailure('no key has this id; "pinfold keys list" lists them', 'not_found');
}

/** Accepts an id, or a whole key, which contains the id. */
function readKeyId(text: string): ApiKeyId {
  const id = parseApiKeyId(/^pf_([^_]+)(?:_.*)?$/.exec(text)?.[1] ?? text);
  if (id === undefined) throw keyNotFound();
  return id;
}

function readLabel(text: string): string {
  if (text.length > 255 || /\p{Cc}/u.test(text)) {
    throw new UsageError('--label must have at most 255 characters, and no control characters');
  }
  return rejectReplacedText(text, '--label');
}

function readScopes(names: readonly string[] | undefined): readonly Scope[] | undefined {
  const requested = names?.flatMap((name) => name.split(','));
  if (requested?.every((name): name is Scope => KNOWN_SCOPES.some((scope) => scope === name)) === false) {
    throw new UsageError(`--scope must be one of ${KNOWN_SCOPES.join(', ')}`);
  }
  return requested && KNOWN_SCOPES.filter((scope) => requested.includes(scope));
}

function toJson({ id, account, label, scopes, createdAt, lastUsedAt, revokedAt }: ApiKey): object {
  const at = (time: Instant | null) => (time === null ? null : toRfc3339(time));
  const times = { created_at: at(createdAt), last_used_at: at(lastUsedAt), revoked_at: at(revokedAt) };
  return { id, account, label, scopes, ...times };
}

function toColumns(key: ApiKey): readonly string[] {
  const { id, account, label, scopes, createdAt, lastUsedAt, revokedAt } = key;
  const used = lastUsedAt === null ? 'never used' : `used ${toRfc3339(lastUsedAt)}`;
  const state = revokedAt === null ? used : `revoked ${toRfc3339(revokedAt)}`;
  return [id, account, scopes.join(','), `created ${toRfc3339(createdAt)}`, state, label];
}
