import { type Command, command } from '../command-line/command.ts';
import { helpText } from '../command-line/help.ts';
import { release } from '../release.ts';

const version = command({
  name: 'version',
  group: 'about',
  help: 'print the release of this program; --version does so, too',
  example: 'pinfold version',
  run: async () => {
    const version = await release();
    return { json: { version }, text: version };
  },
});

/** `version`, and `help`, which needs all commands. */
export function commandsAbout(all: () => Promise<readonly Command[]>): readonly Command[] {
  const help = command({
    name: 'help',
    group: 'about',
    arguments: ['[COMMAND]', '[ACTION]'],
    json: false,
    help: 'list the commands, or explain the options of one',
    example: 'pinfold help publish',
    run: async (words, _, { out }) => {
      const given = words.filter((word) => word !== undefined);
      out(helpText(await all(), given));
    },
  });
  return [version, help];
}
