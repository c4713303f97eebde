import { DEFAULT_ACCOUNT, offerSignInLink } from '@pinfold/app';
import { readArguments } from '../arguments.ts';
import { knownAddresses, noteSilence } from '../known-addresses.ts';
import { readAccount } from '../read-account.ts';
import type { Terminal } from '../terminal.ts';
import { withComposition } from '../with-composition.ts';

/** `pinfold manage` */
export async function manage(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], { account: { type: 'string' } });
  const account = values.account === undefined ? DEFAULT_ACCOUNT : readAccount(values.account);
  const { url, addresses } = await withComposition(terminal, async (composition, settings) => {
    const addresses = knownAddresses(settings);
    return { url: await offerSignInLink(composition, addresses, account), addresses };
  });
  terminal.out(values.json ? JSON.stringify({ account, url }) : url);
  terminal.err('The link signs in once, within the hour: whoever opens it first is in.');
  await noteSilence(addresses, terminal);
}
