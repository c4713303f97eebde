import { type Command, command, listOption } from '../command-line/command.ts';
import { chooseTarget, currentFolder, TARGET_OPTIONS, withTarget } from '../publishing/publications.ts';

const mcp = command({
  name: 'mcp',
  group: 'publications',
  options: {
    root: listOption('FOLDER', 'a folder that agents may publish from; the current folder if none is given'),
    ...TARGET_OPTIONS,
  },
  json: false,
  help: 'serve agents with the Model Context Protocol on standard input and output',
  example: 'pinfold mcp --root ~/sites',
  guide: '../mcp.md',
  run: async (_, values, { env, err, confirm }) => {
    // Standard input and output belong to the protocol: no questions, and nothing else is printed there.
    const terminal = { env, err, out: err, write: async (text: string) => err(text) };
    const target = chooseTarget(values, true, { ...terminal, ...(confirm && { confirm }) });
    const { Roots } = await import('../mcp/roots.ts');
    const roots = new Roots(values.root ?? [], currentFolder(env));
    const { serveMcp } = await import('../mcp/serve-mcp.ts');
    await withTarget(target, terminal, (publications) => serveMcp(publications, roots, terminal));
  },
});

export const commands: readonly Command[] = [mcp];
