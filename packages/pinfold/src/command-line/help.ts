import { OPTIONS } from './options.ts';

/** Where the words of an option begin. */
const COLUMN = 27;

/** What `pinfold help` says. */
export const HELP: string = `pinfold: folders become links

  pinfold serve                      run the server until SIGTERM
  pinfold publish PATH               publish a folder or a .zip; prints the shared URL
  pinfold pin ID | unpin ID          keep a publication, or let it expire again in 7 days
  pinfold manage                     print a link that signs in to the management screen, once
  pinfold keys create                make an API key; prints it, this once
  pinfold keys list
  pinfold keys revoke ID             shut a key out at once
  pinfold history                    what happened, newest first: who published, changed and stopped what
  pinfold cleanup                    remove what is no longer needed; the server does so by itself
  pinfold migrate                    bring the database up to this release; every command does so by itself
  pinfold version | help

All of them work on the settings of the server, the PINFOLD_ environment variables, beside a running server or
without one. So on the machine of the server no API key is needed; whoever may read its data folder may do all this.

${Object.entries(OPTIONS).map(sectionOf).join('\n')}

Every command but serve takes --json, for scripts: one JSON document on standard output.
Exit codes: 0 done, 1 failed, 2 called wrongly.`;

function sectionOf([command, options]: [string, object]): string {
  return [command, ...Object.entries(options).map(lineOf)].join('\n');
}

interface Shown {
  readonly value?: string;
  readonly says: string;
}

function lineOf([name, { value, says }]: [string, Shown]): string {
  const option = `  --${name}${value === undefined ? '' : ` ${value}`}`;
  return option.padEnd(COLUMN) + says.replaceAll('\n', `\n${' '.repeat(COLUMN)}`);
}
