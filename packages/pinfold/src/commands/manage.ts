import { readAccount } from '../command-line/arguments.ts';
import { operatorCause } from '../command-line/by-command.ts';
import { type Command, command } from '../command-line/command.ts';
import { printableAddresses } from '../command-line/known-addresses.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { DEFAULT_ACCOUNT } from '../start/first-start.ts';
import { offerSignInLink } from '../start/sign-in-link.ts';

const manage = command({
  name: 'manage',
  options: {
    account: { type: 'string', value: 'NAME', help: 'the account to sign in to (default: default)' },
    admin: { type: 'boolean', help: 'sign in as an administrator of the service as well' },
  },
  help: 'print a link that signs in to the management screen once, within an hour',
  example: 'pinfold manage --account web-team',
  guide: 'administration.md',
  run: async (_, { admin, ...values }, terminal) => {
    const account = values.account === undefined ? DEFAULT_ACCOUNT : readAccount(values.account);
    const { url, warning } = await withComposition(terminal, async (composition, settings) => {
      const { addresses, warning } = await printableAddresses(settings);
      const scope = admin === true ? 'admin' : 'manage';
      const cause = operatorCause();
      return { url: await offerSignInLink(composition, addresses, account, cause, scope), warning };
    });
    terminal.err(
      'The link signs in once, within an hour: the first person who presses "Sign in" is signed in.',
    );
    if (warning !== undefined) terminal.err(warning);
    return { json: { account, url }, text: url };
  },
});

export const commands: readonly Command[] = [manage];
