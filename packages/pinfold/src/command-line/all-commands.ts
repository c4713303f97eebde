import type { Command } from './command.ts';

type Load = () => Promise<{ readonly commands: readonly Command[] }>;

/** The files of the commands, by their first words in the order of the help. Most commands need a part of the program. */
const FILES: readonly (readonly [load: Load, ...words: readonly string[]])[] = [
  [() => import('../commands/publish.ts'), 'publish'],
  [
    () => import('../commands/publications.ts'),
    ...['list', 'show', 'rename', 'password', 'renew', 'stop', 'open', 'save'],
  ],
  [() => import('../commands/names.ts'), 'names'],
  [() => import('../commands/mcp.ts'), 'mcp'],
  [() => import('../commands/serve.ts'), 'serve', 'migrate'],
  [() => import('../commands/sessions.ts'), 'manage', 'sessions'],
  [() => import('../commands/keys.ts'), 'keys'],
  [() => import('../commands/accounts.ts'), 'accounts'],
  [() => import('../commands/pins.ts'), 'pins', 'pin', 'unpin'],
  [() => import('../commands/takedowns.ts'), 'takedowns'],
  [() => import('../commands/mode.ts'), 'mode'],
  [() => import('../commands/history.ts'), 'history'],
  [() => import('../commands/cleanup.ts'), 'cleanup'],
  [() => import('../commands/doctor.ts'), 'doctor'],
  [() => import('../commands/backups.ts'), 'export', 'import', 'copy'],
  [() => import('../commands/verify.ts'), 'verify'],
  [() => import('../commands/login.ts'), 'login', 'logout', 'whoami'],
  [
    async () => {
      const { commandsAbout } = await import('../commands/about.ts');
      return { commands: commandsAbout(allCommands) };
    },
    ...['completion', 'version', 'help'],
  ],
];

export const FIRST_WORDS: readonly string[] = FILES.flatMap(([, ...words]) => words);

/** The commands that begin with a word; none if it is unknown. */
export async function commandsOf(word: string): Promise<readonly Command[]> {
  const [load] = FILES.find(([, ...words]) => words.includes(word)) ?? [];
  const { commands } = (await load?.()) ?? { commands: [] };
  return commands.filter(({ name }) => name.split(' ')[0] === word);
}

export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(FILES.map(([load]) => load()))).flatMap(({ commands }) => commands);
}
