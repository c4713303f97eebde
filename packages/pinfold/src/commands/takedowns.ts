import { readFile } from 'node:fs/promises';
import { type Administration, parseSha256 } from '@pinfold/core/administration';
import { takedownOf, type WireTakedown } from '@pinfold/http-express';
import { readArguments } from '../command-line/arguments.ts';
import { byCommand } from '../command-line/by-command.ts';
import { jsonLine, shownText } from '../command-line/escape-control-characters.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { type KeptTakedown, readTakedowns } from '../command-line/takedown-lines.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { withComposition } from '../command-line/with-composition.ts';
import { everyItem } from './every-item.ts';

/** `pinfold takedowns list | lift | export | import` */
export async function takedowns([action, ...args]: readonly string[], terminal: Terminal): Promise<void> {
  switch (action) {
    case 'list':
      return await list(args, terminal, lineOf);
    case 'export':
      return await list(args, terminal, jsonLine);
    case 'lift':
      return await lift(args, terminal);
    case 'import':
      return await bring(args, terminal);
    default:
      throw new UsageError('takedowns takes list, lift, export or import');
  }
}

async function list(
  args: readonly string[],
  terminal: Terminal,
  write: (takedown: WireTakedown) => string,
): Promise<void> {
  const { values } = readArguments(args, [], {});
  await withComposition(terminal, async ({ administration }) => {
    const told: WireTakedown[] = [];
    for await (const takedown of everyItem(administration.listTakedowns, ({ takedowns }) => takedowns)) {
      const json = takedownOf(takedown);
      if (values.json) told.push(json);
      else terminal.out(write(json));
    }
    if (values.json) terminal.out(jsonLine({ takedowns: told }));
  });
}

async function lift(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = readArguments(args, ['SHA256'], {});
  const sha256 = parseSha256(positionals[0] ?? '');
  if (sha256 === undefined) throw new UsageError('SHA256 is 64 hexadecimal digits');
  await withComposition(terminal, async ({ administration }) => {
    const outcome = await administration.liftTakedown(sha256, byCommand());
    if (outcome.kind === 'refused') {
      throw new CommandFailure(
        'this archive is not forbidden; "pinfold takedowns list" lists those that are',
      );
    }
  });
  const says = `${sha256} may be published again; what was taken down with it stays stopped.`;
  terminal.out(values.json ? jsonLine({ lifted: sha256 }) : says);
}

async function bring(args: readonly string[], terminal: Terminal): Promise<void> {
  const isNamed = args.some((argument) => argument === '-' || !argument.startsWith('-'));
  const { values, positionals } = readArguments(args, isNamed ? ['FILE'] : [], {});
  const [file = '-'] = positionals;
  const kept = readTakedowns(file === '-' ? await inputOf(terminal) : await textOf(file));
  const changed = await withComposition(terminal, ({ administration }) => broughtBy(administration, kept));
  terminal.out(
    values.json
      ? jsonLine({ takedowns: kept.length, changed })
      : `${kept.length} takedowns, of which ${changed} changed anything.`,
  );
}

/** How many of them changed anything. */
async function broughtBy({ bringTakedown }: Administration, kept: readonly KeptTakedown[]): Promise<number> {
  let changed = 0;
  for (const takedown of kept) changed += (await bringTakedown(takedown, byCommand())) ? 1 : 0;
  return changed;
}

async function inputOf({ input }: Terminal): Promise<string> {
  if (input === undefined) throw new UsageError('FILE is missing');
  return new TextDecoder().decode(await input());
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new CommandFailure(`${file} cannot be read: ${error.message}`, { cause: error });
  }
}

function lineOf({ id, account, sha256, reason, at }: WireTakedown): string {
  return shownText([at, id, account, sha256, reason].join('  '));
}
