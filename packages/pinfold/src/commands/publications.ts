import type { Change, Pin } from '@pinfold/client';
import { defaultLimits, parseTitle } from '@pinfold/core';
import { SystemClock } from '@pinfold/platform-node/internal/system-clock';
import { openInBrowser } from '../api-client/browser.ts';
import { NOT_A_PINFOLD } from '../api-client/failure-text.ts';
import { readPath, readState } from '../command-line/arguments.ts';
import { type Command, command, flagOption, type Result, valueOption } from '../command-line/command.ts';
import { CommandFailure, isRefusedWith, UsageError } from '../command-line/failures.ts';
import {
  formatExpiry,
  formatFacts,
  formatState,
  LIST_OPTIONS,
  listPinFacts,
  printList,
} from '../command-line/print-list.ts';
import { formatJsonLine, type Terminal } from '../command-line/terminal.ts';
import {
  readReference,
  resolveId,
  TARGET_OPTIONS,
  type TargetOptions,
  withPublications,
} from '../publishing/publications.ts';
import { readArgument } from '../publishing/refusal-text.ts';
import { checkSavable, savedResult, saveOriginal } from '../saving/original.ts';

const ID = '0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20';
const GUIDE = '../publish-with-the-command.md#change-and-stop';

const list = command({
  name: 'list',
  group: 'publications',
  options: {
    state: valueOption('STATE', 'only published, expired or stopped ones'),
    ...LIST_OPTIONS,
    ...TARGET_OPTIONS,
  },
  help: 'list your publications, newest first, without stopped ones',
  example: 'pinfold list --state published',
  guide: GUIDE,
  run: async (_, values, terminal) => {
    const state = values.state === undefined ? undefined : readState(values.state);
    await withPublications(values, false, terminal, ({ api }) =>
      printList(api.list({ state }), terminal, { ...values, member: 'pins', toColumns }),
    );
  },
});

const show = command({
  name: 'show',
  group: 'publications',
  arguments: ['ID'],
  options: TARGET_OPTIONS,
  help: 'show everything about one',
  example: `pinfold show https://share.example/s/${ID}`,
  guide: GUIDE,
  run: async ([text], values, terminal) => {
    const reference = readReference(text);
    const { pin } = await withPublications(values, false, terminal, async (publications) =>
      publications.api.get(await resolveId(reference, publications)),
    );
    return { json: { pin }, text: formatFacts(listPinFacts(pin)) };
  },
});

const rename = command({
  name: 'rename',
  group: 'publications',
  arguments: ['ID', 'TITLE'],
  options: TARGET_OPTIONS,
  help: 'change the title; "" removes it',
  example: `pinfold rename ${ID} "Summer catalogue"`,
  guide: GUIDE,
  run: async ([id, title], values, terminal) => {
    readArgument(parseTitle(title, defaultLimits));
    const pin = await update(id, { title }, values, terminal);
    return formatChange(pin, pin.title === null ? 'has no title' : `has the title "${pin.title}"`);
  },
});

const password = command({
  name: 'password',
  group: 'publications',
  arguments: ['ID'],
  options: { none: flagOption('remove the protection'), ...TARGET_OPTIONS },
  help: 'protect it with a password, typed in, or read from standard input',
  example: `pinfold password ${ID} < password.txt`,
  guide: GUIDE,
  run: async ([id], values, terminal) => {
    readReference(id);
    const newPassword = values.none ? '' : await askNewPassword(terminal);
    const pin = await update(id, { password: newPassword }, values, terminal);
    return formatChange(pin, pin.password_protected ? 'has a new password' : 'needs no password');
  },
});

const renew = command({
  name: 'renew',
  group: 'publications',
  arguments: ['ID'],
  options: TARGET_OPTIONS,
  help: 'let it expire later: the period of a renewal, from now',
  example: `pinfold renew ${ID}`,
  guide: GUIDE,
  run: async ([id], values, terminal) => {
    const pin = await update(id, { reset_expiration: true }, values, terminal);
    return formatChange(pin, `expires ${formatExpiry(pin.expires_at, new SystemClock().now())}`);
  },
});

const stop = command({
  name: 'stop',
  group: 'publications',
  arguments: ['ID'],
  options: TARGET_OPTIONS,
  help: 'stop it for good: viewers can no longer see it',
  example: `pinfold stop ${ID}`,
  guide: GUIDE,
  run: async ([text], values, terminal) => {
    const reference = readReference(text);
    const id = await withPublications(values, true, terminal, async (publications) => {
      const found = await resolveId(reference, publications);
      await publications.api.stop(found);
      return found;
    });
    return { json: { id, stopped: true }, text: `${id} is stopped.` };
  },
});

const open = command({
  name: 'open',
  group: 'publications',
  arguments: ['ID'],
  options: {
    print: flagOption('only print the URL, which needs no password for one minute'),
    ...TARGET_OPTIONS,
  },
  help: 'open it in the browser, without its password',
  example: `pinfold open ${ID}`,
  guide: GUIDE,
  run: async ([text], values, terminal) => {
    const reference = readReference(text);
    const url = await withPublications(values, true, terminal, async (publications) => {
      const { api } = publications;
      const id = await resolveId(reference, publications);
      try {
        return (await api.createGrant(id)).grant.url;
      } catch (error) {
        // The key may only read, or the service itself decides who may view: the browser may have access anyway.
        if (values.print || !isRefusedWith(error, 'forbidden')) throw error;
        return (await api.get(id)).pin.shared_url;
      }
    });
    const link = checkWebAddress(url);
    terminal.out(values.json ? formatJsonLine({ url: link }) : link);
    if (!values.print) await openInBrowser(link, terminal.env);
  },
});

const save = command({
  name: 'save',
  group: 'publications',
  arguments: ['ID', '[FILE]'],
  options: { force: flagOption('replace an existing file'), ...TARGET_OPTIONS },
  help: 'save the ZIP as it was uploaded, in ID.zip or FILE, or to standard output with -',
  example: `pinfold save ${ID} site.zip`,
  guide: GUIDE,
  run: async ([text, file], { force = false, ...values }, terminal) => {
    const reference = readReference(text);
    const fileArgument = file === undefined ? undefined : readPath(file, 'FILE');
    if (fileArgument !== undefined) await checkSavable({ file: fileArgument, force }, values.json, terminal);
    return await withPublications(values, false, terminal, async (publications) => {
      const id = await resolveId(reference, publications);
      const { openOriginal } = await import('../publishing/remote-publications.ts');
      const target = { file: fileArgument ?? `${id}.zip`, force };
      await checkSavable(target, values.json, terminal);
      const original = await openOriginal(publications.api, id);
      return savedResult(id, target, await saveOriginal(original, target, terminal));
    });
  },
});

export const commands: readonly Command[] = [list, show, rename, password, renew, stop, open, save];

function update(text: string, change: Change, target: TargetOptions, terminal: Terminal): Promise<Pin> {
  const reference = readReference(text);
  return withPublications(target, true, terminal, async (publications) => {
    const { pin } = await publications.api.update(await resolveId(reference, publications), change);
    return pin;
  });
}

async function askNewPassword({ secret }: Terminal): Promise<string> {
  const password = await secret?.('New password: ');
  // An empty password would remove the protection; here it is more likely an unset variable of a script.
  if (!password)
    throw new UsageError('a password is required on standard input; --none removes the protection');
  return password;
}

/** Accepts only http and https, because the system's opener can also start programs. */
function checkWebAddress(text: string): string {
  const { protocol, href } = URL.parse(text) ?? {};
  if (href === undefined || (protocol !== 'http:' && protocol !== 'https:'))
    throw new CommandFailure(NOT_A_PINFOLD, 'invalid_answer');
  return href;
}

function formatChange(pin: Pin, sentence: string): Result {
  return { json: { pin }, text: `${pin.id} ${sentence}.` };
}

function toColumns({ shared_url, state, expires_at, title, original_filename }: Pin): readonly string[] {
  return [shared_url, formatState(state), expires_at ?? 'pinned', title ?? original_filename ?? '-'];
}
