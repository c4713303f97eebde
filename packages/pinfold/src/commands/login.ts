import { hostname } from 'node:os';
import { pairingCode } from '@pinfold/core/accounts';
import { publicUrl } from '@pinfold/http';
import { NodeSessionSecrets, SystemClock } from '@pinfold/platform-node';
import { inBrowser } from '../api-client/browser.ts';
import { keyForSecret, registerLogin } from '../api-client/device-login.ts';
import { keepLogin, loginsFile, readLogins } from '../api-client/logins.ts';
import { readArguments } from '../command-line/arguments.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** `pinfold login URL` */
export async function login(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['URL'], OPTIONS.login);
  const url = publicUrl(positionals[0] ?? '', (expectation) => new UsageError(`URL ${expectation}`));
  const { env } = terminal;
  // What cannot be kept had better not be asked for.
  readLogins(env);
  const { text: secret, hash } = new NodeSessionSecrets().mint();
  await registerLogin(url, hash);
  const asking = new URLSearchParams({ request: hash, label: `pinfold on ${hostname()}`.slice(0, 100) });
  const page = `${url}/manage/connect?${asking}`;
  terminal.err(`Agree on the page below, if it shows these characters: ${pairingCode(hash)}`);
  terminal.err(page);
  if (values['no-browser'] !== true) await openIfPossible(page, env);
  const { key, id, account, scopes } = await keyForSecret(url, secret, new SystemClock());
  keepLogin(env, url, key);
  const file = loginsFile(env);
  terminal.out(
    values.json
      ? jsonLine({ url, account, key: id, scopes, file })
      : `The key ${shownText(id)} of ${shownText(account)} is kept in ${file}, for commands with --url ${url}.`,
  );
}

/** Where there is no browser, the page is opened elsewhere. */
async function openIfPossible(page: string, env: Terminal['env']): Promise<void> {
  try {
    await inBrowser(page, env);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
  }
}
