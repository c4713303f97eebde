import { readAccount, readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine } from '../command-line/escape-control-characters.ts';
import { knownAddresses, noteSilence } from '../command-line/known-addresses.ts';
import { OPTIONS } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { DEFAULT_ACCOUNT } from '../start/first-start.ts';
import { offerSignInLink } from '../start/sign-in-link.ts';

/** `pinfold manage` */
export async function manage(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], OPTIONS.manage);
  const account = values.account === undefined ? DEFAULT_ACCOUNT : readAccount(values.account);
  const { url, addresses } = await withComposition(terminal, async (composition, settings) => {
    const addresses = knownAddresses(settings);
    const scope = values.admin === true ? 'admin' : 'manage';
    return { url: await offerSignInLink(composition, addresses, account, byCommand(), scope), addresses };
  });
  terminal.out(values.json ? jsonLine({ account, url }) : url);
  terminal.err('The link signs in once, within the hour: whoever presses "Sign in" first is in.');
  await noteSilence(addresses, terminal);
}
