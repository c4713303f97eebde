import { type ApiKey, type ApiKeyId, OPERATOR, type Scope } from '@pinfold/core';
import { everyKey, parseApiKeyId } from '@pinfold/core/accounts';
import { KNOWN_SCOPES, toRfc3339 } from '@pinfold/core/adapter';
import { readAccount, readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { DEFAULT_ACCOUNT } from '../start/first-start.ts';

const UNKNOWN = 'there is no key with this id; "pinfold keys list" lists them';

/** `pinfold keys create | list | revoke` */
export async function keys([action, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  switch (action) {
    case 'create':
      return await create(args, terminal);
    case 'list':
      return await list(args, terminal);
    case 'revoke':
      return await revoke(args, terminal);
    default:
      throw new UsageError('keys takes create, list or revoke');
  }
}

async function create(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS['keys create']);
  const account = values.account === undefined ? DEFAULT_ACCOUNT : readAccount(values.account);
  const scopes = readScopes(values.scope);
  const label = readLabel(values.label ?? '');
  const { key, text } = await withComposition(terminal, ({ manageKeys }) =>
    manageKeys.create({
      by: OPERATOR,
      account,
      label,
      cause: byCommand(),
      ...(scopes === undefined ? {} : { scopes }),
    }),
  );
  if (values.json) {
    terminal.out(jsonLine({ key: text, ...keyJson(key) }));
    return;
  }
  terminal.out(text);
  terminal.err(`key ${key.id} of account "${key.account}" (${key.scopes.join(', ')}); it is shown only now`);
}

async function list(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS['keys list']);
  const by = values.account === undefined ? OPERATOR : readAccount(values.account);
  await withComposition(terminal, async ({ manageKeys }) => {
    const told: ApiKey[] = [];
    for await (const key of everyKey(manageKeys, { by })) {
      if (values.json) told.push(key);
      else terminal.out(lineOf(key));
    }
    if (values.json) terminal.out(jsonLine({ keys: told.map(keyJson) }));
  });
}

async function revoke(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], {});
  const id = keyId(positionals[0] ?? '');
  const outcome = await withComposition(terminal, ({ manageKeys }) =>
    manageKeys.revoke({ id, by: OPERATOR, cause: byCommand() }),
  );
  if (outcome.kind === 'unknown') throw new CommandFailure(UNKNOWN);
  terminal.out(values.json ? jsonLine({ id, revoked: true }) : `${id} is revoked.`);
}

/** Whoever has the whole key at hand need not cut the id out of it. */
function keyId(text: string): ApiKeyId {
  const id = parseApiKeyId(/^pf_([^_]+)(?:_.*)?$/.exec(text)?.[1] ?? text);
  if (id === undefined) throw new CommandFailure(UNKNOWN);
  return id;
}

function readLabel(text: string): string {
  if (text.length > 255 || /\p{Cc}/u.test(text)) {
    throw new UsageError('a label has at most 255 characters, none of them a control character');
  }
  return text;
}

function readScopes(names: readonly string[] | undefined): readonly Scope[] | undefined {
  const wanted = names?.flatMap((name) => name.split(','));
  if (wanted?.every((name): name is Scope => KNOWN_SCOPES.some((scope) => scope === name)) === false) {
    throw new UsageError(`a scope is one of ${KNOWN_SCOPES.join(', ')}`);
  }
  return wanted === undefined ? undefined : KNOWN_SCOPES.filter((scope) => wanted.includes(scope));
}

function keyJson({
  id,
  account,
  label,
  scopes,
  createdAt,
  lastUsedAt,
  revokedAt,
}: ApiKey): Record<string, unknown> {
  return {
    id,
    account,
    label,
    scopes,
    created_at: toRfc3339(createdAt),
    last_used_at: lastUsedAt === null ? null : toRfc3339(lastUsedAt),
    revoked_at: revokedAt === null ? null : toRfc3339(revokedAt),
  };
}

function lineOf({ id, account, label, scopes, createdAt, lastUsedAt, revokedAt }: ApiKey): string {
  const used = lastUsedAt === null ? 'never used' : `used ${toRfc3339(lastUsedAt)}`;
  const state = revokedAt === null ? used : `revoked ${toRfc3339(revokedAt)}`;
  const facts = [id, account, scopes.join(','), `created ${toRfc3339(createdAt)}`, state, label];
  return shownText(facts.join('  ').trimEnd());
}
