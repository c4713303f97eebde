import { DEFAULT_ACCOUNT, offerSignInLink, webAddresses } from '@pinfold/app';
import { readArguments } from '../arguments.ts';
import { readAccount } from '../read-account.ts';
import type { Terminal } from '../terminal.ts';
import { withComposition } from '../with-composition.ts';

/** `pinfold manage` */
export async function manage(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = readArguments(args, [], { account: { type: 'string' } });
  const account = values.account === undefined ? DEFAULT_ACCOUNT : readAccount(values.account);
  const url = await withComposition(terminal, (composition, settings) =>
    offerSignInLink(composition, webAddresses(settings, settings.port), account),
  );
  terminal.out(values.json ? JSON.stringify({ account, url }) : url);
  terminal.err('The link signs in once, within the hour: whoever opens it first is in.');
}
