import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** A sentence: a capital letter or a quotation mark, words, and a full stop; or one in Japanese. */
const SENTENCE = /^["A-Z].* .*[.]$|。$/s;

function textOf({ type, value, quasis }) {
  return type === 'StringLiteral' ? value : quasis.map((part) => part.value.cooked).join('…');
}

/** Whether it is the message of an error. A Fault has its code before it. */
function isMessage({ key, parentPath }) {
  if (!parentPath?.isNewExpression()) return false;
  const { name } = parentPath.node.callee;
  return name === 'TypeError' ? key === 0 : name === 'Fault' && key === 1;
}

/** Members with texts for people, of the API document and of refusals. */
const TOLD = new Set(['description', 'summary', 'title', 'detail', 'advice']);

/** Whether it is the text of such a member, or a part of it. */
function isTold({ parentPath }) {
  if (parentPath.isBinaryExpression({ operator: '+' })) return isTold(parentPath);
  return parentPath.isObjectProperty() && TOLD.has(parentPath.node.key.name);
}

/** Whether it is the catalogue of the pages in a language. */
function isCatalogue(path) {
  return (
    path.isVariableDeclarator() && path.node.id.typeAnnotation?.typeAnnotation?.typeName?.name === 'Catalogue'
  );
}

/** Ignores changes that no test should notice: to texts for people, and to branches that the compiler proves unreachable. */
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
