import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { unjudged } from './unjudged.ts';

const squashed = (text) => text.replaceAll(/\s+/g, '');
const known = unjudged.map(({ code, shownBy }) => ({ code: squashed(code), shownBy }));

/** Code of adapters of which the published suites say nothing; a test of its own does. */
const ignorer = {
  shouldIgnore(path) {
    if (!path.isStatement() && !path.isMethod() && !path.isProperty()) return undefined;
    const text = squashed(path.toString());
    const found = known.find(({ code }) => text.startsWith(code));
    return found && `shown by ${found.shownBy} alone`;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'unjudged', ignorer)];
