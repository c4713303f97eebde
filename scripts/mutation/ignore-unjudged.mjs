import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { unjudged } from './unjudged.ts';

const COMMENTS = /^(?:\/\*.*?\*\/|\/\/[^\n]*\n)/s;

/** Brackets, too: the tool leaves out those that are not needed. */
const squashed = (text) => text.replaceAll(/[\s()]+/g, '');

/** The code of a node, without what is said before it. */
function codeOf(path) {
  let text = path.toString().trim();
  while (COMMENTS.test(text)) text = text.replace(COMMENTS, '').trim();
  return squashed(text);
}

const known = unjudged.flatMap(({ code, shownBy }) =>
  Object.values(code)
    .flat()
    .map((text) => ({ code: squashed(text), shownBy })),
);

/** Code of adapters of which the published suites say nothing; a test of its own does. */
const ignorer = {
  shouldIgnore(path) {
    if (!path.isStatement() && !path.isMethod() && !path.isProperty()) return undefined;
    const text = codeOf(path);
    const found = known.find(({ code }) => text.startsWith(code));
    return found && `shown by ${found.shownBy} alone`;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'unjudged', ignorer)];
