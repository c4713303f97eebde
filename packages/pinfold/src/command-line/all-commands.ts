import type { Command } from './command.ts';

/** The files of the commands by their first word. Each is loaded when it is needed: most need a part of the program. */
const FILES: Readonly<Record<string, () => Promise<{ readonly commands: readonly Command[] }>>> = {
  publish: () => import('../commands/publish.ts'),
  list: () => import('../commands/publications.ts'),
  show: () => import('../commands/publications.ts'),
  rename: () => import('../commands/publications.ts'),
  password: () => import('../commands/publications.ts'),
  renew: () => import('../commands/publications.ts'),
  stop: () => import('../commands/publications.ts'),
  open: () => import('../commands/publications.ts'),
  names: () => import('../commands/names.ts'),
  mcp: () => import('../commands/mcp.ts'),
  serve: () => import('../commands/serve.ts'),
  pin: () => import('../commands/pin.ts'),
  unpin: () => import('../commands/pin.ts'),
  manage: () => import('../commands/manage.ts'),
  keys: () => import('../commands/keys.ts'),
  accounts: () => import('../commands/accounts.ts'),
  pins: () => import('../commands/pins.ts'),
  takedowns: () => import('../commands/takedowns.ts'),
  sessions: () => import('../commands/sessions.ts'),
  mode: () => import('../commands/mode.ts'),
  history: () => import('../commands/history.ts'),
  cleanup: () => import('../commands/cleanup.ts'),
  doctor: () => import('../commands/doctor.ts'),
  export: () => import('../commands/export.ts'),
  import: () => import('../commands/import.ts'),
  copy: () => import('../commands/copy.ts'),
  verify: () => import('../commands/verify.ts'),
  migrate: () => import('../commands/serve.ts'),
  login: () => import('../commands/login.ts'),
  logout: () => import('../commands/login.ts'),
  whoami: () => import('../commands/login.ts'),
  completion: async () => {
    const { completionOf } = await import('../commands/completion.ts');
    return { commands: [completionOf(allCommands)] };
  },
  version: about,
  help: about,
};

async function about(): Promise<{ readonly commands: readonly Command[] }> {
  const { commandsAbout } = await import('../commands/help.ts');
  return { commands: commandsAbout(allCommands) };
}

/** What the first argument may be. */
export const FIRST_WORDS: readonly string[] = Object.keys(FILES);

/** The commands that begin with a word; none if it is unknown. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const load = Object.hasOwn(FILES, word) ? FILES[word] : undefined;
  const { commands } = (await load?.()) ?? { commands: [] };
  return commands.filter(({ name }) => name.split(' ')[0] === word);
}

/** Every command. */
export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(FIRST_WORDS.map(commandsOf))).flat();
}
