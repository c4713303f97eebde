import type { Change, Pin } from '@pinfold/client';
import type { RoleId } from '@pinfold/core';
import { callApi } from '../api-client/api-call.ts';
import { neededServer, type Server } from '../api-client/server.ts';
import { readArguments } from '../command-line/arguments.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { UsageError } from '../command-line/failures.ts';
import { OPTIONS, SERVER_OPTIONS } from '../command-line/options.ts';
import { readPublicationId } from '../command-line/publication-id.ts';
import type { Terminal } from '../command-line/terminal.ts';

/** `pinfold rename ID TITLE` */
export async function rename(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID', 'TITLE'], SERVER_OPTIONS);
  const id = idOf(positionals);
  const pin = await change(neededServer(values, terminal), terminal, id, { title: positionals[1] ?? '' });
  tell(pin, values.json, terminal, pin.title === null ? 'has no title' : `has the title "${pin.title}"`);
}

/** `pinfold password ID` */
export async function password(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], { ...OPTIONS.password, ...SERVER_OPTIONS });
  const id = idOf(positionals);
  const server = neededServer(values, terminal);
  const wanted = values.none ? '' : await newPassword(terminal);
  const pin = await change(server, terminal, id, { password: wanted });
  tell(pin, values.json, terminal, pin.password_protected ? 'has a new password' : 'needs no password');
}

/** `pinfold renew ID` */
export async function renew(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], SERVER_OPTIONS);
  const id = idOf(positionals);
  const pin = await change(neededServer(values, terminal), terminal, id, { reset_expiration: true });
  tell(pin, values.json, terminal, `expires ${pin.expires_at ?? 'never'}`);
}

/** `pinfold stop ID` */
export async function stop(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['ID'], SERVER_OPTIONS);
  const id = idOf(positionals);
  await callApi(neededServer(values, terminal), terminal, (client) => client.stop(id));
  terminal.out(values.json ? jsonLine({ id, stopped: true }) : `${id} is stopped.`);
}

async function change(server: Server, terminal: Terminal, id: RoleId, wanted: Change): Promise<Pin> {
  return (await callApi(server, terminal, (client) => client.update(id, wanted))).pin;
}

function idOf([id = '']: readonly string[]): RoleId {
  return readPublicationId(id, 'ID');
}

async function newPassword({ secret }: Terminal): Promise<string> {
  const given = await secret?.('New password: ');
  // To the API an empty one ends the protection; here it is more likely a script's variable that was not set.
  if (!given) throw new UsageError('a password is needed on standard input; --none ends the protection');
  return given;
}

function tell(pin: Pin, json: boolean | undefined, { out }: Terminal, what: string): void {
  out(json ? jsonLine({ pin }) : shownText(`${pin.id} ${what}.`));
}
