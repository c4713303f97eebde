import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Begins as a sentence does or with what it quotes, has words, and ends with a full stop; or is one in Japanese. */
const SENTENCE = /^["A-Z].* .*[.]$|。$/s;

function textOf({ type, value, quasis }) {
  return type === 'StringLiteral' ? value : quasis.map((part) => part.value.cooked).join('…');
}

/** Whether it is the message of an error; what stands before it is the error's code. */
function isMessage({ key, parentPath }) {
  if (!parentPath?.isNewExpression()) return false;
  const { name } = parentPath.node.callee;
  return name === 'TypeError' ? key === 0 : name === 'Fault' && key === 1;
}

/** Members whose words are for people alone: of the API document, and of what a refusal says. */
const TOLD = new Set(['description', 'summary', 'title', 'detail', 'advice']);

/** Whether it is what such a member says, or a part of that. */
function isTold({ parentPath }) {
  if (parentPath.isBinaryExpression({ operator: '+' })) return isTold(parentPath);
  return parentPath.isObjectProperty() && TOLD.has(parentPath.node.key.name);
}

/** Whether it is all that pages say in a language. */
function isCatalogue(path) {
  return (
    path.isVariableDeclarator() && path.node.id.typeAnnotation?.typeAnnotation?.typeName?.name === 'Catalogue'
  );
}

/** What no test is to notice: the wording for people, and branches that the compiler proves nobody takes. */
const ignorer = {
  shouldIgnore(path) {
    if (path.isStringLiteral() || path.isTemplateLiteral()) {
      if (isMessage(path)) return 'the message of an error';
      const text = textOf(path.node);
      if (SENTENCE.test(text) || (isTold(path) && text.includes(' '))) return 'a sentence for people';
    }
    if (isCatalogue(path)) return 'wording for people';
    const isNever =
      path.isSwitchCase() && /^default:\s+(?:return )?\w+ satisfies never;$/.test(path.toString());
    return isNever ? 'the compiler proves that it is never reached' : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'prose', ignorer)];
