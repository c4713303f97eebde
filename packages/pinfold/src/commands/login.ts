import { hostname } from 'node:os';
import { pairingCode } from '@pinfold/core/internal';
import { publicUrl } from '@pinfold/http';
import { NodeSessionSecrets, SystemClock } from '@pinfold/platform-node';
import { openInBrowser } from '../api-client/browser.ts';
import { registerLogin, waitForKey } from '../api-client/device-login.ts';
import { listLogins, loginsFile, readLogins, writeLogin } from '../api-client/logins.ts';
import { type Command, command, flagOption } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { chooseTarget, TARGET_OPTIONS, withTarget } from '../publishing/publications.ts';
import { readSettings } from '../settings/settings.ts';

const login = command({
  name: 'login',
  group: 'about',
  arguments: ['URL'],
  options: { 'no-browser': flagOption('only print the address of the page') },
  help: 'get an API key from the management screen of a server, and store it for other commands',
  example: 'pinfold login https://share.example',
  guide: '../publish-with-the-command.md#sign-in',
  run: async ([text], { 'no-browser': noBrowser }, terminal) => {
    const url = readUrl(text);
    const { env } = terminal;
    // Read now, so that the command fails early if it could not store the key.
    readLogins(env);
    const { text: secret, hash } = new NodeSessionSecrets().mint();
    await registerLogin(url, hash);
    const query = new URLSearchParams({ request: hash, label: `pinfold on ${hostname()}`.slice(0, 100) });
    const page = `${url}/manage/connect?${query}`;
    terminal.err(`If the page below shows these characters, agree there: ${pairingCode(hash)}`);
    terminal.err(page);
    if (noBrowser !== true) await openIfPossible(page, env);
    const { key, id, account, scopes } = await waitForKey(url, secret, new SystemClock());
    writeLogin(env, url, key);
    const file = loginsFile(env);
    const stored = `The key ${id} of the account ${account} is stored in ${file}. Commands use it for ${url}.`;
    return { json: { url, account, key: id, scopes, file }, text: stored };
  },
});

const logout = command({
  name: 'logout',
  group: 'about',
  arguments: ['[URL]'],
  help: 'forget the key that login stored; revoke it on the management screen',
  example: 'pinfold logout https://share.example',
  guide: '../publish-with-the-command.md#sign-in',
  run: async ([text], _, { env }) => {
    const logins = listLogins(env).map(({ url }) => url);
    const [only, ...others] = logins;
    if (text === undefined && others.length > 0)
      throw new UsageError(`there are several logins; give the URL of one: ${logins.join(', ')}`);
    const url = text === undefined ? only : readUrl(text);
    if (url === undefined || !logins.includes(url)) {
      throw new CommandFailure(`there is no login${url === undefined ? '' : ` at ${url}`}`, 'not_found');
    }
    writeLogin(env, url, undefined);
    return {
      json: { url, logged_out: true },
      text: `The key for ${url} was removed from ${loginsFile(env)}.`,
    };
  },
});

const whoami = command({
  name: 'whoami',
  group: 'about',
  options: TARGET_OPTIONS,
  help: 'print the server or data folder that your commands use, and check the key',
  example: 'pinfold whoami',
  guide: 'command.md#which-server',
  run: async (_, options, terminal) => {
    const target = chooseTarget(options, false, terminal);
    if (target.kind === 'server') {
      const { server } = target;
      await withTarget(target, terminal, ({ api }) => api.limits());
      const key = parseKeyId(server.apiKey);
      const text = `${server.url}, with the API key ${key ?? '(of an unknown form)'}`;
      return { json: { url: server.url, key }, text };
    }
    const { account } = target;
    const folder = readSettings(target.env).dataDir;
    const text = `this machine: ${folder}, as the account ${account}`;
    return { json: { data_dir: folder, account }, text };
  },
});

export const commands: readonly Command[] = [login, logout, whoami];

function readUrl(text: string): string {
  return publicUrl(text, (expectation) => new UsageError(`URL ${expectation}`));
}

function parseKeyId(key: string): string | null {
  return /^pf_([^_]+)_/.exec(key)?.[1] ?? null;
}

/** Opens the page, unless this machine has no browser: the user then opens the address elsewhere. */
async function openIfPossible(page: string, env: Terminal['env']): Promise<void> {
  try {
    await openInBrowser(page, env);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
  }
}
