import { type Instant, instant, parseRoleId, type Takedown } from '@pinfold/core';
import { isOperatorText, parseAccountId, parseSha256 } from '@pinfold/core/internal';
import { takedownOf, type WireTakedown } from '@pinfold/http-express/internal';
import { readPath } from '../command-line/arguments.ts';
import { type Command, command } from '../command-line/command.ts';
import { CommandFailure, UsageError } from '../command-line/failures.ts';
import { readLines } from '../command-line/input.ts';
import { LIST_OPTIONS, type ListFormat, pluralize, printList } from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import { everyItem, withComposition } from '../command-line/with-composition.ts';
import { operatorCause } from '../identity.ts';
import { tryParseJson } from '../try-parse-json.ts';

const list = command({
  name: 'takedowns list',
  options: LIST_OPTIONS,
  help: 'list takedowns',
  example: 'pinfold takedowns list --json',
  guide: 'administration.md#take-a-site-down',
  run: (_, format, terminal) => printTakedowns(terminal, { ...format, toColumns }),
});

const exportTakedowns = command({
  name: 'takedowns export',
  help: 'print takedowns, one JSON object per line; store them with backups',
  example: 'pinfold takedowns export > takedowns.jsonl',
  guide: 'administration.md#after-a-restore',
  run: (_, format, terminal) =>
    printTakedowns(terminal, { ...format, toColumns: (takedown) => [formatJsonLine(takedown)] }),
});

const lift = command({
  name: 'takedowns lift',
  arguments: ['SHA256'],
  help: 'allow an archive to be published again; stopped publications stay stopped',
  example: 'pinfold takedowns lift 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  guide: 'administration.md#take-a-site-down',
  run: async ([digits], _, terminal) => {
    const sha256 = parseSha256(digits);
    if (sha256 === undefined) throw new UsageError('SHA256 must be 64 hexadecimal digits');
    await withComposition(terminal, async ({ administration }) => {
      const outcome = await administration.liftTakedown(sha256, operatorCause());
      if (outcome.kind === 'refused') {
        const message = 'this archive was not taken down; "pinfold takedowns list" lists takedowns';
        throw new CommandFailure(message, 'not_found');
      }
    });
    const text = `${sha256} may be published again; publications that were taken down with it stay stopped.`;
    return { json: { lifted: sha256 }, text };
  },
});

const importTakedowns = command({
  name: 'takedowns import',
  arguments: ['[FILE]'],
  help: 'repeat the takedowns of an export, after a database was restored',
  example: 'pinfold takedowns import takedowns.jsonl',
  guide: 'administration.md#after-a-restore',
  run: async ([file = '-'], _, terminal) => {
    const exported = readTakedowns(await readLines(readPath(file, 'FILE'), terminal));
    let changed = 0;
    await withComposition(terminal, async ({ administration }) => {
      for (const takedown of exported)
        if (await administration.bringTakedown(takedown, operatorCause())) changed += 1;
    });
    const text = `${pluralize(exported.length, 'takedown')}, of which ${changed} changed anything.`;
    return { json: { takedowns: exported.length, changed }, text };
  },
});

export const commands: readonly Command[] = [list, lift, exportTakedowns, importTakedowns];

function printTakedowns(terminal: Terminal, format: Omit<ListFormat<WireTakedown>, 'member'>): Promise<void> {
  return withComposition(terminal, ({ administration }) => {
    const takedowns = everyItem(administration.listTakedowns, (page) => page.takedowns.map(takedownOf));
    return printList(takedowns, terminal, { ...format, member: 'takedowns' });
  });
}

function toColumns({ id, account, sha256, reason, at }: WireTakedown): readonly string[] {
  return [at, id, account, sha256, reason];
}

type SavedTakedown = Omit<Takedown, 'liftedAt'>;

/** Parses an export of `pinfold takedowns export`; throws for the first invalid line, before any change. */
function readTakedowns(lines: readonly string[]): readonly SavedTakedown[] {
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const takedown = parseTakedown(line);
    if (takedown !== undefined) return [takedown];
    throw new CommandFailure(`line ${index + 1} is not a takedown; nothing was imported`, 'unreadable');
  });
}

/** Returns `undefined` for a line that is not a takedown. */
function parseTakedown(line: string): SavedTakedown | undefined {
  const { id, account, sha256, reason, at } = Object(tryParseJson(line));
  const read = {
    id: parseRoleId(id),
    account: parseAccountId(account),
    sha256: parseSha256(String(sha256)),
    reason: isOperatorText(reason) ? reason : undefined,
    at: parseInstant(at),
  };
  return Object.values(read).includes(undefined) ? undefined : (read as SavedTakedown);
}

/** Returns `undefined` for a text that is not an RFC 3339 time since 1970. */
function parseInstant(text: unknown): Instant | undefined {
  const isTimestamp =
    typeof text === 'string' && /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = isTimestamp ? Date.parse(text) : Number.NaN;
  return at >= 0 ? instant(at) : undefined;
}
